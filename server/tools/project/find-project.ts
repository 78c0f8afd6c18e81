import { joinSources, readSources } from "../../../protocol/context/untrusted.ts";
import type { RowOf } from "../../store/schema.ts";
import type { ToolContext } from "../tool.ts";

type Context = Pick<ToolContext, "read" | "userId" | "noteSources">;
export type ProjectRow = RowOf<"projects">;

const MOST_LISTED = 2_000;
const MOST_NAMED = 12;

/** One of the person's own, by its id or, where only one is called so, by its name. What is not theirs is not there. */
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
  throw new Error(`${given ? `There is no project "${given.slice(0, 200)}".` : MISSING} ${tellProjects(own)}`);
}

/** The ones touched last first; archived ones are found by their id only. */
export async function listProjects(
  { read, userId, noteSources }: Context,
  archived = false,
): Promise<readonly ProjectRow[]> {
  const rows = await read.projectsOf(userId, archived, MOST_LISTED);
  noteSources(joinSources(...rows.map(({ untrusted }) => readSources(untrusted))));
  return rows;
}

const MISSING = "This thread belongs to no project, and no project_id was given.";

function tellProjects(own: readonly ProjectRow[]): string {
  if (own.length === 0) return "The person has none yet: create_entities with kind project makes one.";
  const named = own.slice(0, MOST_NAMED).map(({ id, name }) => `${id} (${name})`);
  const rest = own.length - named.length;
  return `The person's projects: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`;
}
