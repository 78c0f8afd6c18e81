import { item, say, sentence } from "../../../protocol/sentences.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { projectGroup } from "./group.ts";
import { fillProject, touchProject } from "./fields.ts";
import { findProject } from "./find-project.ts";
import { DeleteInput } from "./inputs.ts";
import { planWrite } from "./plan-write.ts";
import { findRows } from "./update-ops.ts";

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "delete_entities",
    group: projectGroup,
    description: "Deletes entities of a project with all their descendants. The user is asked first and can undo it.",
    input: DeleteInput,
    repeat: "keyed",
    effects: ["write", "destructive"],
    limits: { timeoutMs: 10_000, resultTokens: 1000 },
    fill: fillProject,
    locks: touchProject,
    describe: ({ ids }) => `Delete ${ids.join(", ")}`,
    describeTargets: async ({ project_id, ids }, context) => {
      const project = await findProject(context, project_id);
      const rows = await findRows(context.read, project.id, ids);
      const named = [...rows.values()].map(({ kind, title }) => item("item-named", kind, shorten(title)));
      return { title: say(sentence("asks-items", limitItems(named))), text: say(sentence("asks-undoable")) };
    },
    summarize: (_, output) => (output as { done: string }).done,
    execute: async (input, context) => {
      const project = await findProject(context, input.project_id);
      if (input.ids.includes(project.id)) throw new Error("Only the user can delete a project, on its page.");
      return planWrite({
        context,
        project,
        input,
        now: clock.now(),
        toOps: async (reads) => {
          const rows = await findRows(reads, project.id, input.ids);
          // Descendants of another deleted entity are already included.
          const below = await findBelow(reads, project.id, rows);
          const tops = [...rows.values()].filter(({ id }) => !below.has(id));
          return tops.map(({ id, version }) => ({ do: "delete" as const, id, version }));
        },
      });
    },
  });
export default create;

const MAX_TITLE = 80;
const MAX_NAMED = 3;

const shorten = (title: string): string =>
  title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE).trimEnd()}…` : title;

function limitItems(items: readonly ReturnType<typeof item>[]) {
  const rest = items.length - MAX_NAMED;
  return rest > 0 ? [...items.slice(0, MAX_NAMED), item("item-more", rest)] : items;
}

/** Ids that have another of the ids as an ancestor. */
async function findBelow(
  reads: Parameters<typeof findRows>[0],
  project: string,
  rows: Awaited<ReturnType<typeof findRows>>,
): Promise<ReadonlySet<string>> {
  const parents = new Map([...rows.values()].map(({ id, parent }) => [id, parent]));
  const listMissing = () => [...new Set(parents.values())].filter((id) => id !== null && !parents.has(id)) as string[];
  for (let missing = listMissing(); missing.length > 0; missing = listMissing()) {
    for (const { id, parent } of await reads.fullEntities(project, missing)) parents.set(id, parent);
    for (const id of missing) if (!parents.has(id)) parents.set(id, null);
  }
  const isBelow = (id: string): boolean => {
    for (let at = parents.get(id); at; at = parents.get(at)) if (rows.has(at)) return true;
    return false;
  };
  return new Set([...rows.keys()].filter(isBelow));
}
