import { joinSources, readSources, toSource, type Sources } from "../../../protocol/context/untrusted.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";

/** Text by other users could tell a model to publish private text of the user of a thread. */
const MEMBERS = toSource("other members of the project");

/**
 * Untrusted sources of a project's contents. In a private thread they include the project's other members. A shared thread has
 * nothing that is private to one of them.
 */
export async function listProjectSources(
  read: Pick<Reads, "membersOf">,
  { id, untrusted }: Pick<RowOf<"projects">, "id" | "untrusted">,
  isShared: boolean,
): Promise<Sources> {
  const sources = readSources(untrusted);
  if (isShared || (await read.membersOf([id])).length === 0) return sources;
  return joinSources(sources, [MEMBERS]);
}
