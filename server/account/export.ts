import { EXPORT_VERSION } from "../../protocol/account/export.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Memory } from "../memory/memory.ts";
import type { Store, Reads } from "../store/contract.ts";
import { toPreferences } from "../store/parse-rows.ts";
import { toSummary } from "../thread/rows.ts";
import type { Threads } from "../thread/threads.ts";
import { readBranches, readPath, writeArtifacts, writeAttachments, type ExportedMessage } from "./read-thread.ts";
import { pagesOf, writeList } from "./json-stream.ts";
import { toOwnProfile } from "../run/own-profiles.ts";
import { describeEnd, textOf } from "../../protocol/fold.ts";
import { listCitedRefs, listSourceRefs } from "../../protocol/source-refs.ts";
import type { Part } from "../../protocol/parts.ts";
import type { RowOf } from "../store/schema.ts";
import { toEntity, toProject } from "../project/project.ts";

/**
 * Exports of one thread or of all data of a user, streamed while they are read. Never included: keys, share tokens, redacted
 * values and other users' rows.
 */
export type Exports = ReturnType<typeof createExports>;

/** A file for the browser to save. */
export type Download = { readonly name: string; readonly type: string; readonly chunks: AsyncIterable<string> };

type Options = {
  readonly store: Store;
  readonly threads: Pick<Threads, "get">;
  readonly memory: Pick<Memory, "export">;
  readonly clock: Clock;
};

export function createExports({ store, threads, memory, clock }: Options) {
  const { read } = store;

  async function* writeThread(thread: Awaited<ReturnType<Threads["get"]>>, isWhole: boolean): AsyncGenerator<string> {
    const head = { thread: toSummary(thread), activeBranchId: thread.branch };
    yield `${JSON.stringify(head).slice(0, -1)},"branches":`;
    const branches = isWhole ? await read.branchesOf(thread.id) : [];
    yield JSON.stringify(
      branches.map(({ id, parent, fork_depth: forkDepth, tip }) => ({ id, parentId: parent, forkDepth, tip })),
    );
    yield `,"messages":`;
    yield* writeList(isWhole ? readBranches(read, thread.id) : readPath(read, thread));
    yield `,"artifacts":`;
    yield* writeArtifacts(read, thread.id);
    yield `,"attachments":`;
    yield* writeAttachments(read, thread.id);
    yield "}";
  }

  async function* writeEverything(userId: string): AsyncGenerator<string> {
    const head = { format: "stonechat-export", v: EXPORT_VERSION, exportedAt: clock.now(), userId };
    const { changes, memory: remembered } = await memory.export(userId);
    const profiles = (await read.profilesOf(userId)).map((row) => ({
      id: row.id,
      name: row.name,
      from: row.source,
      ...toOwnProfile(row),
    }));
    const drafts = (await read.drafts(userId)).map(({ thread, text, at }) => ({ threadId: thread || null, text, at }));
    const shares = (await read.shares(userId, null)).map(({ owner: _, thread, created_at, ...share }) => ({
      ...share,
      threadId: thread,
      createdAt: created_at,
    }));
    const budgets = (await read.budgets(userId)).map(({ scope, limit_usd: limitUsd }) => ({ scope, limitUsd }));
    const prompts = (await read.promptsOf(userId)).map(({ id, name, text, project }) => ({
      ...{ id, name, text, projectId: project || null },
    }));
    const preferences = toPreferences(await read.preferences(userId));
    const settings = { profiles, preferences, prompts, drafts, shares, budgets };
    const own = { ...head, memory: remembered, memoryChanges: changes, ...settings };
    yield `${JSON.stringify(own).slice(0, -1)},"threads":[`;
    let isFirst = true;
    for await (const thread of pagesOf((after, limit) => read.threadsAfter(userId, after, limit))) {
      yield isFirst ? "\n" : ",\n";
      isFirst = false;
      yield* writeThread(thread, true);
    }
    yield `],"projects":[`;
    yield* writeProjects(read, userId);
    yield "]}\n";
  }

  return {
    thread: async (
      principal: Principal,
      threadId: string,
      { format, branches }: { readonly format: "markdown" | "json"; readonly branches: "active" | "all" },
    ): Promise<Download> => {
      const thread = await threads.get(principal, threadId);
      const name = toFileName(thread.title);
      if (format === "markdown") {
        return {
          name: `${name}.md`,
          type: "text/markdown; charset=utf-8",
          chunks: toMarkdown(thread, readPath(read, thread)),
        };
      }
      const head = { format: "stonechat-thread", v: EXPORT_VERSION, exportedAt: clock.now() };
      async function* chunks(): AsyncGenerator<string> {
        let isFirst = true;
        for await (const piece of writeThread(thread, branches === "all")) {
          yield isFirst ? `${JSON.stringify(head).slice(0, -1)},${piece.slice(1)}` : piece;
          isFirst = false;
        }
        yield "\n";
      }
      return { name: `${name}.json`, type: "application/json; charset=utf-8", chunks: chunks() };
    },

    everything: async ({ userId }: Principal): Promise<Download> => {
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      return {
        name: `stonechat-${day}.json`,
        type: "application/json; charset=utf-8",
        chunks: writeEverything(userId),
      };
    },
  };
}

const LONGEST_NAME = 60;

/** ASCII only, so that it is valid in headers and on every file system. */
const toFileName = (title: string): string => {
  const plain = title
    .normalize("NFKD")
    .replaceAll(/[^\w .-]+/g, "")
    .trim()
    .replaceAll(/[\s.]+/g, "-");
  return plain.slice(0, LONGEST_NAME).replaceAll(/^-+|(?<!-)-+$/g, "") || "thread";
};

/** A thread as readable Markdown, with tools by name and sources as links. */
async function* toMarkdown(
  thread: Pick<RowOf<"threads">, "title" | "created_at" | "model">,
  messages: AsyncIterable<ExportedMessage>,
): AsyncGenerator<string> {
  yield `# ${toLine(thread.title || "Untitled")}\n\n_Started ${toTime(thread.created_at)}_\n`;
  for await (const { role, createdAt, parts, endedEarly } of messages) {
    const model = parts.findLast((part) => part.kind === "step")?.model;
    const who = role === "user" ? "You" : `Assistant${model === undefined ? "" : ` (${model})`}`;
    yield `\n## ${who}, ${toTime(createdAt)}\n\n`;
    const current = parts.filter((part) => part.aside === undefined);
    const end = endedEarly ? [`> ${toLine(describeEnd(endedEarly))}`] : [];
    yield [...current.flatMap(toBlock), ...end].join("\n\n");
    const refs = listSourceRefs(current);
    const sources = current.flatMap((part) => toSource(part, refs, textOf(current)));
    yield sources.length === 0 ? "\n" : `\n\n${sources.join("\n")}\n`;
  }
}

const toTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const toLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function toBlock(part: Part): string[] {
  switch (part.kind) {
    case "text":
      return part.text.trim() === "" ? [] : [part.text.trim()];
    case "tool":
      return [`> **${part.name}**: ${toLine(part.title ?? "")} (${part.state})`];
    case "notice":
      return [`> ${toLine(part.text)}`];
    case "file":
      return [`> File: ${toLine(part.name ?? part.mediaType)}`];
    default:
      return [];
  }
}

/** Only sources that the answer cites or that were read for it. */
function toSource(part: Part, known: ReadonlyMap<string, readonly number[]>, text: string): string[] {
  if (part.kind !== "source" || part.url === undefined) return [];
  if (part.ref === undefined && part.status !== "read") return [];
  const title = toLine(part.title ?? part.url).replaceAll(/[[\]]/g, "");
  // The numbers that the text uses; the newest if it uses none.
  const cited = new Set(listCitedRefs(text));
  const used = (known.get(part.url) ?? []).filter((ref) => cited.has(ref));
  const refs = used.length > 0 || part.ref === undefined ? used : [part.ref];
  return [`- ${refs.map((ref) => `[${ref}] `).join("")}[${title}](<${part.url}>)`];
}

const FILES = 20;

/** Projects with their entities, edges and current files. */
async function* writeProjects(read: Reads, userId: string): AsyncGenerator<string> {
  let isFirst = true;
  for await (const project of pagesOf((after, limit) => read.projectsAfter(userId, after, limit))) {
    yield `${isFirst ? "" : ","}\n${JSON.stringify({ project: toProject(project) }).slice(0, -1)},"entities":`;
    isFirst = false;
    yield* writeList(
      mapRows(
        pagesOf((after, limit) => read.entitiesAfter(project.id, after, limit)),
        toEntity,
      ),
    );
    const edges = await read.edgesOfProject(project.id);
    yield `,"edges":${JSON.stringify(edges.map(({ source, relation, target }) => ({ source, relation, target })))}`;
    yield `,"files":`;
    yield* writeList(readFiles(read, project.id));
    yield "}";
  }
}

async function* mapRows<T, U>(rows: AsyncIterable<T>, to: (row: T) => U): AsyncGenerator<U> {
  for await (const row of rows) yield to(row);
}

async function* readFiles(read: Reads, project: string) {
  for (let after = ""; ;) {
    const page = await read.fileTextsAfter(project, after, FILES);
    for (const { path, bytes, encoding, body: content, updated_at: updatedAt } of page) {
      yield { path, bytes, encoding, content, updatedAt };
    }
    const last = page.at(-1);
    if (page.length < FILES || !last) return;
    after = last.path;
  }
}
