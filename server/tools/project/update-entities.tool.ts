import type { z } from "zod";
import { say, sentence, type Text } from "../../../protocol/sentences.ts";
import { planProjectChange, planAct, toKeyedId } from "../../project/project.ts";
import { defineTool, type CreateTool, type Scope, type ToolContext, type ToolResult } from "../tool.ts";
import { projectGroup } from "./group.ts";
import { askBulk, askOtherProject, checkProject, fillProject, touchProject } from "./fields.ts";
import { findProject, type ProjectRow } from "./find-project.ts";
import { UpdateInput } from "./inputs.ts";
import { toProjectLine } from "./to-line.ts";
import { editBody } from "./edit-body.ts";
import { planWrite } from "./plan-write.ts";
import { refusePlaceholders, toUpdateOps, type Update } from "./update-ops.ts";

type Input = z.infer<typeof UpdateInput>;

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "update_entities",
    group: projectGroup,
    aliases: ["move_entities"],
    description:
      "Changes entities of a project by id. Only the given fields change; null clears a date. For the text use one of body " +
      "(replaces all of it), append and edit. parent_id and after move the entity. With the project's own id: title, body, " +
      "instructions, state archived or active. Either all changes of a call are made or none.",
    input: UpdateInput,
    repeat: "keyed",
    effects: ["write"],
    limits: { timeoutMs: 10_000, resultTokens: 2000 },
    fill: fillProject,
    locks: touchProject,
    remembers: ({ updates }) => updates.some(({ instructions }) => instructions !== undefined),
    approvalReason: ({ updates }) => askBulk(updates.length),
    approvalReasonIfUntrusted: (input, scope) => askOtherProject(input, scope) ?? askOwnProject(input, scope),
    describe: ({ updates }) => `Change ${updates.map(describeUpdate).join("; ")}`,
    summarize: (_, output) => (output as { done: string }).done,
    execute: async (input, context) => {
      const project = await findProject(context, input.project_id);
      const now = clock.now();
      const [own] = input.updates.filter(({ id }) => id === project.id);
      if (!own) {
        const toOps = (reads: Parameters<typeof toUpdateOps>[0]) => toUpdateOps(reads, project.id, input.updates);
        return planWrite({ context, project, input, now, toOps });
      }
      if (input.updates.length > 1) throw new Error("Change the project itself in a separate call.");
      return changeProject({ context, project, input, now }, own);
    },
  });
export default create;

type ProjectUpdate = {
  readonly context: ToolContext;
  readonly project: ProjectRow;
  readonly input: Input;
  readonly now: number;
};

async function changeProject({ context, project, input, now }: ProjectUpdate, update: Update): Promise<ToolResult> {
  const { userId, threadId, runId, key, read, untrusted } = context;
  const author = { by: "run" as const, threadId, runId };
  const request = { userId, projectId: project.id, id: toKeyedId(key), input, author, untrusted, now };
  const { act, effect, writes, events } = await planAct(read, request, async (_, row) => {
    const { version, title, state, instructions } = update;
    if (version !== undefined && version !== row.version) {
      throw new Error(
        `The project has changed since version ${version}. It is now ${JSON.stringify(toProjectLine(row))}.`,
      );
    }
    if (state !== undefined && state !== "archived" && state !== "active") {
      throw new Error('The state of a project is "active" or "archived".');
    }
    const description = editBody(row.description, update, row.name);
    refusePlaceholders(row.description, description);
    refusePlaceholders(row.instructions, instructions);
    const fields = {
      ...(title === undefined ? {} : { name: checkProject("name", title) }),
      ...(description === undefined ? {} : { description: checkProject("description", description) }),
      ...(instructions === undefined ? {} : { instructions: checkProject("instructions", instructions) }),
      ...(state === undefined ? {} : { archived: state === "archived" }),
    };
    return planProjectChange(row, fields, now);
  });
  const { id, name, version } = effect?.project ?? project;
  const output = {
    project: { id, name },
    done: act.changes.length === 0 ? "Nothing changed: everything already had these values." : act.text,
    act_id: act.id,
    entities: [{ id, kind: "project", title: name, version: effect?.project ? version + 1 : version }],
  };
  return writes.length === 0 ? { output } : { output, commit: { writes, events } };
}

const askOwnProject = ({ updates }: Input, { projectId }: Scope): Text | undefined =>
  updates.some(({ id, title, state }) => id === projectId && (title !== undefined || state !== undefined))
    ? say(sentence("asks-own-project"))
    : undefined;

function describeUpdate({ id, version: _, ...set }: Update): string {
  const fields = Object.entries(set).map(([name, value]) =>
    typeof value === "string" && value.length <= 60 ? `${name} ${value}` : name,
  );
  return `${id}: ${fields.join(", ")}`;
}
