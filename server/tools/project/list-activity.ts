import { listActs } from "../../project/project.ts";
import type { Reads } from "../../store/contract.ts";
import { toIso } from "./moments.ts";

const MOST_ACTS = 15;

/** What was done lately to one thing or, without one, to the whole project: newest first. */
export async function listActivity(read: Reads, project: string, id: string | undefined) {
  const { acts } = await listActs(read, project, { ...(id === undefined ? {} : { entityId: id }), limit: MOST_ACTS });
  return acts.map(({ createdAt, author, text, undone }) => ({
    at: toIso(createdAt),
    by: author.by === "person" ? "person" : "assistant",
    did: text,
    ...(undone ? { undone: true } : {}),
  }));
}
