import type { Query } from "../../protocol/api.ts";
import type { SearchHit } from "../../protocol/search.ts";
import { listProjectsOf } from "../auth/access.ts";
import type { Principal } from "../auth/principal.ts";
import { yieldToEventLoop } from "../lib/sleep.ts";
import { toTerms } from "../rank/terms.ts";
import type { Reads } from "../store/contract.ts";
import { toProseSnippet, toSnippet } from "./snippet.ts";

/** Limits of one search: the most recently changed projects, and files of all of them together. */
const MOST_PROJECTS = 200;
const MOST_FILES = 500;
const MOST_CHARACTERS = 4_000_000;
const PAGE = 20;
const FOREVER = Number.MAX_SAFE_INTEGER;

/** Searches projects: entities by their index, files by reading the most recently changed ones up to a limit. */
export async function searchProjects(
  read: Reads,
  { userId }: Principal,
  query: Query<"search">,
  terms: readonly string[],
): Promise<readonly SearchHit[]> {
  const { projectId, archived, limit, from = 0, to = FOREVER } = query;
  const projects = projectId === undefined ? await listProjects(read, userId, archived) : [projectId];
  const entities = await read.findEntities(terms, { projects, from, to, limit });
  const hits: SearchHit[] = [];
  for (const { project, id, kind, title, body, updated_at: at } of entities) {
    await yieldToEventLoop();
    const target = { at: "entity", projectId: project, entityId: id, kind } as const;
    const snippet = toProseSnippet(body === "" ? title : body, terms);
    hits.push({ kind: "written", target, title, thread: null, messageId: null, at, ...snippet });
  }
  return [...hits, ...(await searchFiles(read, { projects, from, to, limit }, terms))];
}

async function listProjects(
  read: Reads,
  owner: string,
  archived: "true" | "false" | undefined,
): Promise<readonly string[]> {
  const states = archived === undefined ? [false, true] : [archived === "true"];
  const rows = await Promise.all(states.map((state) => listProjectsOf(read, owner, state, MOST_PROJECTS)));
  return rows
    .flat()
    .slice(0, MOST_PROJECTS)
    .map(({ id }) => id);
}

type Within = Parameters<Reads["fileTexts"]>[0];

async function searchFiles(read: Reads, within: Within, terms: readonly string[]): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  let characters = 0;
  for (let skip = 0; skip < MOST_FILES && characters < MOST_CHARACTERS; skip += PAGE) {
    const files = await read.fileTexts({ ...within, limit: PAGE }, skip);
    for (const { project, path, body, updated_at: at } of files) {
      await yieldToEventLoop();
      characters += body.length;
      if (!holdsAll(`${path}\n${body}`, terms)) continue;
      const target = { at: "file", projectId: project, path } as const;
      hits.push({ kind: "written", target, title: path, thread: null, messageId: null, at, ...toSnippet(body, terms) });
    }
    if (files.length < PAGE || hits.length >= within.limit) break;
  }
  return hits;
}

const isOther = /[^\p{ASCII}]/u;

/** Matches like the index: every term as a word, the last one as a prefix. ASCII text is prefiltered without splitting it. */
function holdsAll(text: string, terms: readonly string[]): boolean {
  const lower = text.toLowerCase();
  if (!isOther.test(lower) && !terms.every((term) => lower.includes(term))) return false;
  const words = new Set(toTerms(text));
  const last = terms.at(-1) ?? "";
  const isThere = terms.slice(0, -1).every((term) => words.has(term));
  return isThere && (words.has(last) || [...words].some((word) => word.startsWith(last)));
}
