import type { Query } from "../../protocol/api.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import type { SearchHit } from "../../protocol/search.ts";
import { findThreadAccess } from "../auth/access.ts";
import type { Principal } from "../auth/principal.ts";
import { yieldToEventLoop } from "../lib/sleep.ts";
import { checkPlace } from "../project/project.ts";
import { toTerms } from "../rank/terms.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { toProjectOwner, toRef } from "./search-docs.ts";
import { toSummaries } from "./shared.ts";
import { searchProjects } from "./search-projects.ts";
import { toProseSnippet, toSnippet } from "./snippet.ts";

/** Finds messages, artifacts, entities and files that contain every word of the query, newest first, with a link target each. */
export async function search(
  read: Reads,
  principal: Principal,
  query: Query<"search">,
): Promise<{ hits: SearchHit[] }> {
  const terms = toSearchTerms(query.q);
  if (terms.length === 0) return { hits: [] };
  if (query.projectId !== undefined) await checkPlace(read, principal, { project: query.projectId, focus: null });
  const isThreads = query.kind !== "written";
  // Projects have no profile.
  const isProjects = (query.kind ?? "written") === "written" && query.profile === undefined;
  const [said, written] = await Promise.all([
    isThreads ? searchThreads(read, principal, query, terms) : [],
    isProjects ? searchProjects(read, principal, query, terms) : [],
  ]);
  const hits = [...said, ...written].toSorted((a, b) => b.at - a.at).slice(0, query.limit);
  return { hits };
}

/** Distinct words. The last is matched as a prefix, because the user may still be typing it. */
function toSearchTerms(text: string): readonly string[] {
  const terms = toTerms(text);
  const last = terms.at(-1);
  const whole = [...new Set(terms.slice(0, -1))];
  if (last === undefined) return [];
  return [...whole.filter((term) => term !== last), last];
}

/** Most shared projects that one search looks at, the most recently changed ones. */
const MOST_PROJECTS = 50;

/** Owners in the index whose threads this user may see: the user, and projects with members. */
async function listSearched(read: Reads, userId: string, projectId: string | undefined): Promise<readonly string[]> {
  if (projectId !== undefined) return [userId, toProjectOwner(projectId)];
  const [own, others] = await Promise.all([
    read.projectsOf(userId, false, MOST_PROJECTS),
    read.projectsWith(userId, false, MOST_PROJECTS),
  ]);
  const shared = new Set((await read.membersOf(own.map(({ id }) => id))).map(({ object }) => object));
  const ids = [...own.map(({ id }) => id).filter((id) => shared.has(id)), ...others.map(({ id }) => id)];
  return [userId, ...ids.slice(0, MOST_PROJECTS).map(toProjectOwner)];
}

async function searchThreads(
  read: Reads,
  { userId }: Principal,
  query: Query<"search">,
  terms: readonly string[],
): Promise<SearchHit[]> {
  const { kind, projectId: project, profile, from, to, archived, limit } = query;
  const asked = {
    terms,
    limit,
    kind: kind === "written" ? undefined : kind,
    project,
    profile,
    from,
    to,
    archived: archived === undefined ? undefined : archived === "true",
  };
  const owners = await listSearched(read, userId, project);
  const found = (await Promise.all(owners.map((owner) => read.search({ owner, ...asked })))).flat();
  const rows = await read.threadsById([...new Set(found.map((hit) => hit.thread))]);
  const visible: RowOf<"threads">[] = [];
  for (const row of rows) if ((await findThreadAccess(read, userId, row))?.role !== null) visible.push(row);
  const own = visible.filter(({ shared, owner }) => shared === 1 || owner === userId);
  const threads = new Map((await toSummaries(read, userId, own)).map((thread) => [thread.id, thread]));
  const hits: SearchHit[] = [];
  for (const { thread: id, message, text, at } of found) {
    await yieldToEventLoop();
    const thread = threads.get(id);
    if (!thread) continue;
    const ref = toRef(message);
    if (ref !== undefined) hits.push(...(await toArtifactHits(read, thread, ref, terms)));
    else {
      const target =
        message === ""
          ? ({ at: "thread", threadId: id } as const)
          : ({ at: "message", threadId: id, messageId: message } as const);
      const { title } = thread;
      const messageId = message || null;
      hits.push({ kind: "said", target, title, thread, messageId, at, ...toProseSnippet(text, terms) });
    }
  }
  return hits;
}

/** The text of an artifact is stored only in `artifacts`, so the snippet is cut from there. */
async function toArtifactHits(
  read: Pick<Reads, "artifact">,
  thread: ThreadSummary,
  ref: number,
  terms: readonly string[],
): Promise<SearchHit[]> {
  const artifact = await read.artifact(thread.id, ref);
  if (!artifact) return [];
  const { message: messageId, title, body, created_at: at } = artifact;
  const isAttached = artifact.kind === "attachment";
  const target = {
    at: "artifact",
    threadId: thread.id,
    messageId,
    ref,
    ...(isAttached && { attached: true }),
  } as const;
  return [{ kind: "fetched", target, title, thread, messageId, at, ...toSnippet(body, terms) }];
}
