import type { z } from "zod";
import { defineTool, type CreateTool, type Scope, type ToolContext } from "../tool.ts";
import { projectGroup } from "./group.ts";
import { fillProject } from "./fields.ts";
import { findProject, type ProjectRow } from "./find-project.ts";
import { GetInput } from "./inputs.ts";
import { getTree } from "./get-tree.ts";
import { toProjectLine, toLine, toLink } from "./to-line.ts";
import { listActs, openEntity, readGraph } from "../../project/project.ts";
import type { Reads } from "../../store/contract.ts";
import { toIso } from "./moments.ts";

type Input = z.infer<typeof GetInput>;

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "get_entity",
    group: projectGroup,
    aliases: ["get_entities", "get_entity_details"],
    description:
      "Reads entities of a project by id: full text, path, children and links. Or the tree of its documents, the graph of its " +
      "links, or its activity. Without any of these, the project itself with its counts.",
    input: GetInput,
    repeat: "pure",
    volatile: true,
    effects: ["read"],
    limits: { timeoutMs: 10_000, resultTokens: 5000 },
    fill: (input, scope) => fillFocus(fillProject(input, scope), scope),
    describe: ({ ids = [], tree, graph, activity }) => {
      const about = ids.length ? ids.join(", ") : "the project";
      if (tree) return `Read the tree of ${ids.length ? ids[0] : "documents"}`;
      if (graph) return `Read the links of ${about}`;
      return `Read ${activity ? `the activity of ${about}` : about}`;
    },
    summarize: (_, output) => {
      const { entities = [], project } = output as {
        entities?: readonly { id: string; title: string; state: string }[];
        project?: { name: string };
      };
      if (entities.length === 0) return `read ${project?.name ?? "the project"}`;
      return entities.map(({ id, title, state }) => `${title} (${id}): ${state}`).join("; ");
    },
    execute: async (input, context) => {
      const project = await findProject(context, input.project_id);
      return {
        output: {
          project: { id: project.id, name: project.name },
          ...(await get(input, project, context, clock.now())),
        },
      };
    },
  });
export default create;

async function get(input: Input, project: ProjectRow, { read }: ToolContext, now: number) {
  const { tree, graph, activity } = input;
  const ids = [...new Set(input.ids)].filter((id) => id !== project.id);
  const [first] = ids;
  if (tree) return getTree(read, project.id, first);
  if (graph !== undefined) return getGraph(read, project.id, { around: first, depth: graph });
  if (first === undefined) return getProject(read, project, { activity, now });
  const entities = await Promise.all(ids.map((id) => getEntity(read, project.id, id)));
  if (!activity) return { entities };
  const acts = await Promise.all(ids.map((id) => listActivity(read, project.id, id)));
  return { entities: entities.map((entity, at) => ({ ...entity, activity: acts[at] })) };
}

type ProjectOptions = { readonly activity: boolean | undefined; readonly now: number };

async function getProject(read: ToolContext["read"], project: ProjectRow, { activity, now }: ProjectOptions) {
  const counts = await read.entityCounts(project.id, now);
  return {
    ...toProjectLine(project),
    ...(project.instructions === "" ? {} : { instructions: project.instructions }),
    counts,
    ...(activity ? { activity: await listActivity(read, project.id, undefined) } : {}),
  };
}

/** Defaults to the thread's focus. */
function fillFocus(input: Readonly<Record<string, unknown>>, { projectId, focusId }: Scope) {
  const isAsked = ["ids", "tree"].some((name) => input[name] !== undefined && input[name] !== false);
  return isAsked || focusId === null || input["project_id"] !== projectId ? input : { ...input, ids: [focusId] };
}

const MAX_CHILDREN = 40;
const MAX_LINKS = 40;
const MAX_TEXT = 30_000;

async function getEntity(read: Reads, project: string, id: string) {
  const { entity, path, children, links } = await openEntity(read, project, id).catch((error: Error) => {
    throw new Error(`${id}: ${error.message}`);
  });
  return {
    ...toLine(entity),
    ...(entity.body === "" ? {} : toText(entity.body)),
    ...(path.length ? { path: path.map(({ id: above, title }) => ({ id: above, title })) } : {}),
    ...(children.length ? { children: children.slice(0, MAX_CHILDREN).map(toLine) } : {}),
    ...noteRest("children", children.length, MAX_CHILDREN, `list_entities with parent_id ${id}`),
    ...(links.length ? { links: links.slice(0, MAX_LINKS).map(({ edge, other }) => toLink(edge, id, other)) } : {}),
    ...noteRest("links", links.length, MAX_LINKS, "get_entity with graph"),
  };
}

const toText = (body: string) =>
  body.length <= MAX_TEXT
    ? { body }
    : {
        body: body.slice(0, MAX_TEXT).toWellFormed(),
        body_note: `the first ${MAX_TEXT} of ${body.length} characters`,
      };

const noteRest = (what: string, count: number, most: number, how: string) =>
  count > most ? { [`more_${what}`]: `${count - most} more: ${how}` } : {};

const MAX_ACTS = 15;

/** Recent acts on an entity or, without an id, on the whole project, newest first. */
async function listActivity(read: Reads, project: string, id: string | undefined) {
  const { acts } = await listActs(read, project, { ...(id === undefined ? {} : { entityId: id }), limit: MAX_ACTS });
  return acts.map(({ createdAt, author, text, undone }) => ({
    at: toIso(createdAt),
    by: author.by === "person" ? "user" : "assistant",
    did: text,
    ...(undone ? { undone: true } : {}),
  }));
}

type GraphOptions = { readonly around: string | undefined; readonly depth: number };

const MAX_NODES = 60;
const MAX_EDGES = 120;

/** Entities, each listed once, and the links among them by id. */
async function getGraph(read: Reads, project: string, { around, depth }: GraphOptions) {
  const graph = await readGraph(read, project, {
    ...(around === undefined ? {} : { around }),
    depth,
    limit: MAX_NODES,
  });
  const edges = graph.edges.slice(0, MAX_EDGES);
  return {
    entities: graph.entities.map(({ id, kind, title, state }) => ({ id, kind, title, state })),
    links: edges.map(({ sourceId, relation, targetId }) => `${sourceId} ${relation} ${targetId}`),
    totals: graph.totals,
    ...(graph.edges.length > edges.length
      ? { note: `${graph.edges.length - edges.length} more links are not listed.` }
      : {}),
  };
}
