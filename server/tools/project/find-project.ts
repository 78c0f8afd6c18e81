import { joinSources, readSources } from "../../../protocol/context/untrusted.ts";
import type { RowOf } from "../../store/schema.ts";
import type { ToolContext } from "../tool.ts";

type Context = Pick<ToolContext, "read" | "userId" | "noteSources">;
export type ProjectRow = RowOf<"projects">;

const MAX_LISTED = 2_000;
const MAX_NAMED = 12;

/** A project of the user, by id or unique name. Projects of other users are treated as missing. */
export async function findProject(context: Context, given: string | undefined): Promise<ProjectRow> {
  const row = given ? await context.read.project(given) : undefined;
  if (row?.owner === context.userId) {
    context.noteSources(readSources(row.untrusted));
    return row;
  }
  const own = await listProjects(context);
  const called = own.filter(({ name }) => name.toLowerCase() === given?.trim().toLowerCase());
  const [only] = called;
  if (only && called.length === 1) return only;
  throw new Error(`${given ? `There is no project "${given.slice(0, 200)}".` : MISSING} ${describeProjects(own)}`);
}

/** Most recently changed first. Archived projects are only found by id. */
export async function listProjects(
  { read, userId, noteSources }: Context,
  archived = false,
): Promise<readonly ProjectRow[]> {
  const rows = await read.projectsOf(userId, archived, MAX_LISTED);
  noteSources(joinSources(...rows.map(({ untrusted }) => readSources(untrusted))));
  return rows;
}

const MISSING = "This thread belongs to no project, and no project_id was given.";

function describeProjects(own: readonly ProjectRow[]): string {
  if (own.length === 0) return "The user has no project yet. Create one with create_entities and kind project.";
  const named = own.slice(0, MAX_NAMED).map(({ id, name }) => `${id} (${name})`);
  const rest = own.length - named.length;
  return `The user's projects: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`;
}
