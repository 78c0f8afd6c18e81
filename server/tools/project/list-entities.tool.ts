import type { z } from "zod";
import { kinds as allKinds } from "../../../protocol/project/kinds.ts";
import { toTerms } from "../../rank/terms.ts";
import { defineTool, type CreateTool, type ToolContext } from "../tool.ts";
import { projectGroup } from "./group.ts";
import { fillProject, PROJECT } from "./fields.ts";
import { findProject, listProjects, type ProjectRow } from "./find-project.ts";
import { ListInput } from "./inputs.ts";
import { parseMoment } from "./moments.ts";
import { listPage, type Filter } from "./list-page.ts";
import { fromRow, toProjectLine } from "./to-line.ts";

type Input = z.infer<typeof ListInput>;

const ALL = "all";
const LIMIT = 30;
/** Above this number of filters the total is not counted. */
const MAX_COUNTED = 60;
const MAX_PROJECTS = 100;
const ONLY_SOME = `Only the ${MAX_PROJECTS} most recently changed projects were searched. Pass project_id for another one.`;
/** Each filter is one read. */
const MAX_LISTS = 400;
const dueKinds = allKinds.filter(({ ends }) => ends === "due").map(({ name }) => name);

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "list_entities",
    group: projectGroup,
    aliases: ["search_entities"],
    description:
      "Lists entities of the user's projects (tasks, events, documents, goals and so on) by kind, state, words, time or parent; " +
      "kind project lists the projects. All dates are ISO 8601, UTC.",
    input: ListInput,
    repeat: "pure",
    volatile: true,
    effects: ["read"],
    limits: { timeoutMs: 10_000, resultTokens: 3000 },
    fill: fillProject,
    describe: (input) => describe(input),
    summarize: (_, output) => {
      const { total, entities } = output as { total?: number; entities: readonly { title: string }[] };
      const names = entities.slice(0, 5).map(({ title }) => title);
      return `found ${total ?? entities.length}${names.length ? `: ${names.join("; ")}` : ""}`;
    },
    execute: async (input, context) => {
      if (input.kinds?.includes(PROJECT)) return { output: await listOwn(input, context) };
      const isAll = input.project_id === undefined || input.project_id === ALL;
      const all = isAll ? await listProjects(context) : [await findProject(context, input.project_id)];
      const projects = all.slice(0, MAX_PROJECTS);
      const output = await list(input, projects, clock.now(), context);
      return { output: projects.length < all.length ? { ...output, note: ONLY_SOME } : output };
    },
  });
export default create;

async function list(input: Input, projects: readonly ProjectRow[], now: number, { read, signal }: ToolContext) {
  const filters = projects.flatMap(({ id }) => toFilters(input, id));
  if (filters.length > MAX_LISTS)
    throw new Error("Too many combinations. Pass a project_id, or fewer kinds and states.");
  const { overdue = false, limit = LIMIT, cursor } = input;
  const sort = overdue ? "due" : (input.sort ?? "updated");
  const { rows, next } = await listPage(read, {
    filters,
    sort,
    limit,
    cursor,
    signal,
    ...(overdue ? { before: now } : {}),
  });
  const total = overdue || filters.length > MAX_COUNTED ? undefined : await count(read, filters);
  const [only, second] = projects;
  const isOne = only !== undefined && second === undefined;
  return {
    ...(isOne ? { project: { id: only.id, name: only.name } } : {}),
    ...(total === undefined ? {} : { total }),
    entities: rows.map((row) => ({
      ...(isOne ? {} : { project_id: row.project }),
      ...fromRow(row),
      ...(row.ended === 0 && row.ends_at !== null && row.ends_at < now && dueKinds.includes(row.kind)
        ? { overdue: true }
        : {}),
    })),
    ...(next === undefined ? {} : { next }),
    ...(projects.length === 0 ? { note: "The user has no project yet." } : {}),
  };
}

const count = async (read: ToolContext["read"], filters: readonly Filter[]): Promise<number> =>
  (await Promise.all(filters.map((filter) => read.entityTotal(filter)))).reduce((sum, one) => sum + one, 0);

/** One filter per kind and state, so that each list uses an index. */
function toFilters(input: Input, project: string): readonly Filter[] {
  const { states = [], overdue = false, open = false, words, from, to, parent_id: parent } = input;
  const kinds = input.kinds?.length ? input.kinds : overdue ? dueKinds : [undefined];
  const terms = words === undefined ? [] : toTerms(words);
  if (words?.trim() && terms.length === 0) throw new Error(`"${words.slice(0, 50)}" has no words to search for.`);
  const filter: Filter = {
    project,
    ...(open || overdue ? { ended: false } : {}),
    ...(terms.length ? { terms } : {}),
    ...(parent === undefined ? {} : { parent: parent === "root" ? null : parent }),
    ...(from === undefined ? {} : { from: parseMoment(from, "start") }),
    ...(to === undefined ? {} : { to: parseMoment(to, "end") }),
  };
  return [...new Set(kinds)].flatMap((kind) =>
    (states.length ? [...new Set(states)] : [undefined]).map((state) => ({
      ...filter,
      ...(kind === undefined ? {} : { kind }),
      ...(state === undefined ? {} : { state }),
    })),
  );
}

async function listOwn({ kinds = [], states = [], words = "", limit = LIMIT, cursor }: Input, context: ToolContext) {
  if (kinds.length > 1) throw new Error("List projects in a separate call, then their contents.");
  const isArchive = states.includes("archived");
  const rows = await listProjects(context, isArchive);
  const wanted = toTerms(words);
  const fits = ({ name, description }: ProjectRow): boolean => {
    const terms = toTerms(`${name} ${description}`);
    return wanted.every((word) => terms.some((term) => term.startsWith(word)));
  };
  const own = rows.filter(fits);
  const from = cursor === undefined ? 0 : own.findIndex(({ id }) => id === cursor) + 1;
  const shown = own.slice(from, from + limit);
  const last = shown.at(-1);
  const next = last && from + limit < own.length ? { next: last.id } : {};
  return { total: own.length, entities: shown.map((row) => toProjectLine(row)), ...next };
}

function describe({ kinds = [], states = [], words, overdue, open, from, to }: Input): string {
  const what = kinds.length ? kinds.map((kind) => `${kind}s`).join(", ") : "entities of the project";
  const which = [...(overdue ? ["overdue"] : open ? ["open"] : []), ...states].join(", ");
  const when = from === undefined && to === undefined ? "" : ` from ${from ?? "ever"} to ${to ?? "ever"}`;
  return `List ${which ? `${which} ` : ""}${what}${words === undefined ? "" : ` with “${words}”`}${when}`;
}
