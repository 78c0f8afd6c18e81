import { joinSources } from "../../../protocol/context/untrusted.ts";
import { findProjectAccess, listProjectsOf } from "../../auth/access.ts";
import { listProjectSources } from "../../project/project.ts";
import type { RowOf } from "../../store/schema.ts";
import type { ToolContext } from "../tool.ts";

type Context = Pick<ToolContext, "read" | "userId" | "projectId" | "isShared" | "noteSources">;
export type ProjectRow = RowOf<"projects">;

const MAX_LISTED = 2_000;
const MAX_NAMED = 12;

/** A project that the user has access to, by id or unique name; in a shared thread only its own project. Others are treated as missing. */
export async function findProject(context: Context, given: string | undefined): Promise<ProjectRow> {
  const { read, userId, isShared } = context;
  const isVisible = given && (!isShared || given === context.projectId);
  const access = isVisible ? await findProjectAccess(read, userId, await read.project(given)) : undefined;
  if (access?.role) {
    context.noteSources(await listProjectSources(read, access.row, isShared));
    return access.row;
  }
  const own = await listProjects(context);
  const called = own.filter(({ name }) => name.toLowerCase() === given?.trim().toLowerCase());
  const [only] = called;
  if (only && called.length === 1) return only;
  throw new Error(`${given ? `There is no project "${given.slice(0, 200)}".` : MISSING} ${describeProjects(own)}`);
}

/** Most recently changed first. Archived projects are only found by id. */
export async function listProjects(
  { read, userId, projectId, isShared, noteSources }: Context,
  archived = false,
): Promise<readonly ProjectRow[]> {
  const all = await listProjectsOf(read, userId, archived, MAX_LISTED);
  const rows = isShared ? all.filter(({ id }) => id === projectId) : all;
  noteSources(joinSources(...(await Promise.all(rows.map((row) => listProjectSources(read, row, isShared))))));
  return rows;
}

const MISSING = "This thread belongs to no project, and no project_id was given.";

function describeProjects(own: readonly ProjectRow[]): string {
  if (own.length === 0) return "The user has no project yet. Create one with create_entities and kind project.";
  const named = own.slice(0, MAX_NAMED).map(({ id, name }) => `${id} (${name})`);
  const rest = own.length - named.length;
  return `The user's projects: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`;
}
