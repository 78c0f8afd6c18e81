import type { z } from "zod";
import { kinds } from "../../../protocol/project/kinds.ts";
import { planCreation } from "../../project/project.ts";
import { defineTool, type CreateTool, type ToolContext, type ToolResult } from "../tool.ts";
import { projectGroup } from "./group.ts";
import { toEntityId } from "./entity-id.ts";
import { askBulk, askOtherProject, checkProject, fillProject, PROJECT, touchProject } from "./fields.ts";
import { findProject } from "./find-project.ts";
import { CreateInput } from "./inputs.ts";
import { toCreateOps } from "./create-ops.ts";
import { planWrite } from "./plan-write.ts";

type Input = z.infer<typeof CreateInput>;
type Entity = Input["entities"][number];

/** The first state is the default. */
const states = kinds.map(({ name, states: all }) => `${name} ${all.join("|")}`).join("; ");

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "create_entities",
    group: projectGroup,
    description:
      "Adds entities to a project, nested and linked, several in one call. Kind project creates a new project and must be the " +
      `only entity of its call. States, the first is the default: ${states}.`,
    input: CreateInput,
    repeat: "keyed",
    effects: ["write"],
    limits: { timeoutMs: 10_000, resultTokens: 2000 },
    fill: fillProject,
    locks: touchProject,
    remembers: ({ entities }) => entities.some(({ instructions }) => instructions !== undefined),
    approvalReason: ({ entities }) => askBulk(entities.length + entities.flatMap(({ links = [] }) => links).length),
    // A new project changes nothing that exists.
    approvalReasonIfUntrusted: (input, scope) =>
      input.entities.every(({ kind }) => kind === PROJECT) ? undefined : askOtherProject(input, scope),
    describe: ({ entities }) => `Add ${entities.map(({ kind, title }) => `${kind} “${title}”`).join(", ")}`,
    summarize: (_, output) => {
      const { done, entities } = output as { done: string; entities: readonly { id: string; title: string }[] };
      return `${done}: ${entities.map(({ id, title }) => `${title} (${id})`).join("; ")}`;
    },
    execute: async (input, context) => {
      const [first, second] = input.entities;
      if (first && input.entities.some(({ kind }) => kind === PROJECT)) {
        if (second)
          throw new Error("Create the project in a separate call, then add to it with the returned project_id.");
        return createProject(first, context, clock.now());
      }
      const project = await findProject(context, input.project_id);
      const ops = toCreateOps(input.entities, context.key);
      return planWrite({ context, project, input, now: clock.now(), toOps: async () => ops });
    },
  });
export default create;

async function createProject(
  entity: Entity,
  { read, userId, threadId, runId, key, untrusted }: ToolContext,
  now: number,
): Promise<ToolResult> {
  const { title, body = "", instructions = "" } = entity;
  const { project, writes, events } = await planCreation(read, {
    userId,
    projectId: toEntityId(key, 0, PROJECT),
    author: { by: "run", threadId, runId },
    untrusted,
    now,
    name: checkProject("name", title),
    description: checkProject("description", body),
    instructions: checkProject("instructions", instructions),
  });
  const { id, name, version } = project;
  const output = {
    project: { id, name },
    done: `Created the project "${name}"`,
    entities: [{ id, kind: PROJECT, title: name, version }],
    note: `This thread does not belong to it. Pass project_id ${id} to write to it.`,
  };
  return writes.length === 0 ? { output } : { output, commit: { writes, events } };
}
