import { EXPORT_VERSION } from "../../../protocol/account/export.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Store, Reads } from "../../store/contract.ts";
import { toPreferences } from "../../store/parse-rows.ts";
import { toSummary } from "../../thread/rows.ts";
import type { Threads } from "../../thread/threads.ts";
import { readBranches, readPath, writeArtifacts, writeAttachments } from "./read-thread.ts";
import { writeArchive } from "./archive.ts";
import { toFileName, toHtml, toMarkdown } from "./readable.ts";
import { writeZipStream, type ZipSource } from "./write-zip.ts";
import { pagesOf, writeList } from "./json-stream.ts";
import { toOwnProfile } from "../../run/own-profiles.ts";
import { toEntity, toProject } from "../../project/project.ts";

/**
 * Exports of one thread or of all data of a user, streamed while they are read. Never included: keys, share tokens, redacted
 * values and other users' rows.
 */
export type Exports = ReturnType<typeof createExports>;

/** A file for the browser to save. */
export type Download = {
  readonly name: string;
  readonly type: string;
  readonly chunks: AsyncIterable<string | Uint8Array>;
};

type Options = {
  readonly store: Store;
  readonly threads: Pick<Threads, "get">;
  readonly memory: Pick<Memory, "export">;
  readonly seal: Seal;
  readonly clock: Clock;
};

export function createExports({ store, threads, memory, seal, clock }: Options) {
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
      if (thread.temporary === 1) continue;
      yield isFirst ? "\n" : ",\n";
      isFirst = false;
      yield* writeThread(thread, true);
    }
    yield `],"projects":[`;
    yield* writeProjects(read, userId);
    yield "]}\n";
  }

  /** Every thread as a Markdown file, for reading. */
  async function* writeReadable(userId: string): AsyncGenerator<ZipSource> {
    for await (const thread of pagesOf((after, limit) => read.threadsAfter(userId, after, limit))) {
      if (thread.temporary === 1) continue;
      const name = `${new Date(thread.created_at).toISOString().slice(0, 10)} ${toFileName(thread.title)}`;
      yield { name: `${name} ${thread.id}.md`, chunks: toMarkdown(thread, readPath(read, thread), true) };
    }
  }

  return {
    thread: async (
      principal: Principal,
      threadId: string,
      { format, branches }: { readonly format: "markdown" | "json" | "html"; readonly branches: "active" | "all" },
    ): Promise<Download> => {
      const thread = await threads.get(principal, threadId);
      const name = toFileName(thread.title);
      if (format !== "json") {
        const isHtml = format === "html";
        return {
          name: `${name}.${isHtml ? "html" : "md"}`,
          type: `text/${format}; charset=utf-8`,
          chunks: (isHtml ? toHtml : toMarkdown)(thread, readPath(read, thread)),
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

    everything: async ({ userId }: Principal, format: "archive" | "markdown" | "json"): Promise<Download> => {
      const name = `stonechat-${new Date(clock.now()).toISOString().slice(0, 10)}`;
      if (format === "json")
        return { name: `${name}.json`, type: "application/json; charset=utf-8", chunks: writeEverything(userId) };
      const chunks = format === "archive" ? writeArchive(read, seal, userId) : writeZipStream(writeReadable(userId));
      return { name: `${name}${format === "archive" ? "" : "-markdown"}.zip`, type: "application/zip", chunks };
    },
  };
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
