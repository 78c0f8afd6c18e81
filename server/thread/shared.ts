import { joinSources, OF_MEMBERS, readSources, writeSources } from "../../protocol/context/untrusted.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import { projectStream, threadStream, userStream, type ProjectStream, type UserStream } from "../../protocol/ids.ts";
import type { MessageAuthor } from "../../protocol/project/members.ts";
import { builtInProfiles } from "../../protocol/settings/profiles.ts";
import { ApiError } from "../../protocol/errors.ts";
import { findProjectAccess, planStillEditor, toThreadRole } from "../auth/access.ts";
import type { Principal } from "../auth/principal.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { isReadable } from "../store/parse-rows.ts";
import { toPart, toSummary } from "./rows.ts";

type Thread = RowOf<"threads">;

/**
 * Where changes of a thread's summary are announced: a private thread in its owner's stream, a shared one in its project's. A user
 * who loses access keeps the stream of the user but not that of the project.
 */
export const threadListStream = ({
  owner,
  shared,
  project,
}: Pick<Thread, "owner" | "shared" | "project">): UserStream | ProjectStream =>
  shared === 1 && project !== null ? projectStream(project) : userStream(owner);

/** The user who acts in a shared thread, as stored with the input; null in a private thread. */
export async function findAuthor(
  read: Pick<Reads, "account">,
  { userId }: Pick<Principal, "userId">,
  thread: Pick<Thread, "shared">,
): Promise<MessageAuthor | null> {
  if (thread.shared === 0) return null;
  return { id: userId, name: (await read.account(userId))?.name ?? "" };
}

/**
 * Makes a batch fail if the thread is no longer shared or the user may no longer change it. Private threads have one user, so they
 * need no check.
 */
export async function planStillAllowed(
  read: Pick<Reads, "project" | "member">,
  { userId }: Principal,
  { id, shared, project }: Pick<Thread, "id" | "shared" | "project">,
): Promise<readonly Write[]> {
  if (shared === 0) return [];
  return [
    { do: "update", table: "threads", set: { shared: 1 }, where: { id, shared: 1, project }, expectOne: true },
    ...(await planStillEditor(read, userId, project)),
  ];
}

/** Summaries as this user sees them. The user must have access to all of the threads. */
export async function toSummaries(
  read: Pick<Reads, "readMarks" | "projectsById" | "membersOf">,
  userId: string,
  rows: readonly Thread[],
): Promise<ThreadSummary[]> {
  const shared = rows.filter((row) => row.shared === 1);
  if (shared.length === 0) return rows.map((row) => toSummary(row));
  const projects = [...new Set(shared.flatMap(({ project }) => project ?? []))];
  const [marks, projectRows, members] = await Promise.all([
    read.readMarks(
      userId,
      shared.map(({ id }) => id),
    ),
    read.projectsById(projects),
    read.membersOf(projects),
  ]);
  const seen = new Map(marks.map(({ thread, seen_at }) => [thread, seen_at]));
  const member = async (project: string, person: string) =>
    members.find((one) => one.object === project && one.person === person);
  const roles = new Map(
    await Promise.all(
      projectRows.map(
        async (row) => [row.id, (await findProjectAccess({ member }, userId, row))?.role ?? null] as const,
      ),
    ),
  );
  return rows.map((row) => {
    if (row.shared === 0) return toSummary(row);
    const role = toThreadRole(roles.get(row.project ?? "") ?? null, row.owner === userId);
    return toSummary(row, { seenAt: seen.get(row.id) ?? 0, ...(role === null ? {} : { role }) });
  });
}

/** Own profiles have instructions of one user, so shared threads use only built-in ones. */
export function assertSharableProfile(profile: string): void {
  if (builtInProfiles.some((name) => name === profile)) return;
  const text =
    "A shared thread needs a built-in profile, because your own profiles have instructions that are private.";
  throw new ApiError("invalid", text);
}

/** Tables with prompts from before a thread was shared, which may contain memory and instructions of its owner. */
const privateTables = ["epochs", "agent_states", "receipts", "grants"] as const;

/**
 * Rows to commit when a thread becomes shared. Messages get their author. What only its owner may see is deleted: records of
 * prompts, compactions, context updates, and the events that contained them.
 */
export function planSharing(thread: Pick<Thread, "id">, author: MessageAuthor): readonly Write[] {
  return [
    {
      do: "update",
      table: "messages",
      set: { author: author.id, author_name: author.name },
      where: { thread: thread.id, role: "user", author: null },
    },
    { do: "delete", table: "parts", where: { thread: thread.id, kind: "context" } },
    { do: "update", table: "calls", set: { receipt: null }, where: { thread: thread.id } },
    ...privateTables.map((table): Write => ({ do: "delete", table, where: { thread: thread.id } })),
    { do: "delete", table: "events", where: { stream: threadStream(thread.id) } },
  ];
}

/** A part of a shared thread, as it is stored in a private one of this user. Only the user's own messages are the user's words. */
export function markShared(
  row: RowOf<"parts">,
  { role, author }: Pick<RowOf<"messages">, "role" | "author">,
  userId: string,
): RowOf<"parts"> {
  if ((role === "user" && (author ?? userId) === userId) || !isReadable(row)) return row;
  const part = toPart(row);
  return { ...row, body: JSON.stringify({ ...part, untrusted: joinSources(part.untrusted, [OF_MEMBERS]) }) };
}

/** The same for a pin or an artifact. */
export const markSharedRow = <T extends { readonly untrusted: string }>(row: T): T => ({
  ...row,
  untrusted: writeSources(joinSources(readSources(row.untrusted), [OF_MEMBERS])),
});

/**
 * Rows to commit when a shared thread becomes private. From then on its prompts contain the owner's memory, instructions and tools.
 * So text that other members wrote, or that derives from such text, becomes untrusted, and the thread's permissions are deleted,
 * because members may have given them. Compactions and work states do not record these sources, so they are deleted and made again.
 */
export async function planPrivate(read: Reads, { id, owner }: Pick<Thread, "id" | "owner">): Promise<readonly Write[]> {
  const writes: Write[] = (["epochs", "agent_states", "grants"] as const).map((table) => ({
    ...{ do: "delete", table, where: { thread: id } },
  }));
  const untrusted = writeSources([OF_MEMBERS]);
  for (const table of ["summaries", "pins", "artifacts"] as const)
    writes.push({ do: "update", table, set: { untrusted }, where: { thread: id, untrusted: "[]" } });
  let characters = 0;
  for (let last: RowOf<"messages"> | null = null; ;) {
    const page: readonly RowOf<"messages">[] = await read.rowsOf("messages", { by: "thread", id }, last, PAGE);
    const messages = new Map(page.map((row) => [row.id, row]));
    for (const row of await read.partsOf(id, [...messages.keys()])) {
      const message = messages.get(row.message);
      const { body } = message ? markShared(row, message, owner) : row;
      if (body === row.body) continue;
      characters += body.length;
      writes.push({
        do: "update",
        table: "parts",
        set: { body },
        where: { thread: id, message: row.message, n: row.n },
      });
    }
    if (characters > MOST_CHARACTERS)
      throw new ApiError("too-large", "This thread is too long to become private. Copy a part of it instead.");
    last = page.at(-1) ?? null;
    if (page.length < PAGE) return writes;
  }
}

const PAGE = 100;
/** A change is one transaction, so its size is bounded. */
const MOST_CHARACTERS = 30_000_000;
