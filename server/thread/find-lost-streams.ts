import type { StreamName } from "../../protocol/ids.ts";
import { findProjectAccess, findThreadAccess } from "../auth/access.ts";
import type { Reads } from "../store/contract.ts";

type Reader = { readonly userId: string; readonly stream: StreamName };

const THREAD = "thread:";
const PROJECT = "project:";
/** Rows per read. */
const PAGE = 500;

/**
 * Readers of thread and project streams who have lost access since they opened them: removed members, and everyone if a thread
 * became private or was deleted. A few reads for any number of streams.
 */
export async function findLostStreams(
  read: Pick<Reads, "threadsById" | "projectsById" | "membersOf">,
  readers: readonly Reader[],
): Promise<readonly Reader[]> {
  const threads = toMap(await readPages(read.threadsById, listIds(readers, THREAD)));
  const ofThreads = [...threads.values()].flatMap(({ shared, project }) => (shared === 1 && project ? [project] : []));
  const wanted = [...new Set([...listIds(readers, PROJECT), ...ofThreads])];
  const projects = toMap(await readPages(read.projectsById, wanted));
  const rows = await readPages(read.membersOf, wanted);
  const members = new Map(rows.map((row) => [JSON.stringify([row.object, row.person]), row]));
  const stored = {
    project: async (id: string) => projects.get(id),
    member: async (project: string, person: string) => members.get(JSON.stringify([project, person])),
  };
  const lost: Reader[] = [];
  for (const reader of readers) {
    const { userId, stream } = reader;
    const access = stream.startsWith(THREAD)
      ? await findThreadAccess(stored, userId, threads.get(stream.slice(THREAD.length)))
      : await findProjectAccess(stored, userId, projects.get(stream.slice(PROJECT.length)));
    const isAllowed = access?.role === undefined ? access?.ownerId === userId : access.role !== null;
    if ((stream.startsWith(THREAD) || stream.startsWith(PROJECT)) && !isAllowed) lost.push(reader);
  }
  return lost;
}

const listIds = (readers: readonly Reader[], prefix: string): readonly string[] => [
  ...new Set(readers.flatMap(({ stream }) => (stream.startsWith(prefix) ? [stream.slice(prefix.length)] : []))),
];

const toMap = <T extends { readonly id: string }>(rows: readonly T[]): ReadonlyMap<string, T> =>
  new Map(rows.map((row) => [row.id, row]));

async function readPages<T>(
  read: (ids: readonly string[]) => Promise<readonly T[]>,
  ids: readonly string[],
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let start = 0; start < ids.length; start += PAGE) found.push(...(await read(ids.slice(start, start + PAGE))));
  return found;
}
