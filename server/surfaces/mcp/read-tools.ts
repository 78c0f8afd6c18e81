import { z } from "zod";
import { memoryFields } from "../../../protocol/memory.ts";
import { projectUri, renderMessages, threadUri, toThreadLine } from "./render.ts";
import { clip, MAX_TEXT, toTime, withGeneralNote, withNote } from "./result.ts";
import { defineReader, Id, type McpTool } from "./tool.ts";

const limit = (most: number, normal: number) => z.int().min(1).max(most).default(normal);
const Ref = z.int().min(1).max(1_000_000_000);

const threadTools: readonly McpTool[] = [
  defineReader({
    name: "search",
    title: "Search",
    description:
      "Full-text search over the user's threads, stored tool results and projects, newest first. Returns ids for the other tools.",
    input: z.object({
      query: z.string().min(1).max(200).describe("Words that all have to occur"),
      kind: z
        .enum(["said", "fetched", "written"])
        .optional()
        .describe("said: messages; fetched: tool results; written: projects"),
      project_id: Id.optional(),
      limit: limit(50, 20),
    }),
    read: async ({ query, kind, project_id, limit: most }, { call }) => {
      const { hits } = await call("search", {
        query: { q: query, limit: most, ...(kind ? { kind } : {}), ...(project_id ? { projectId: project_id } : {}) },
      });
      return withGeneralNote({
        hits: hits.map(({ kind: found, target, title, snippet, at }) => ({
          ...{ kind: found, title: clip(title, 200), snippet: clip(snippet, 500), at: toTime(at), target },
        })),
      });
    },
  }),
  defineReader({
    name: "list_threads",
    title: "List threads",
    description: "The user's threads: pinned first, then by last change. Continue with next_cursor.",
    input: z.object({
      project_id: Id.optional(),
      archived: z.boolean().default(false),
      cursor: z.string().max(300).optional(),
      limit: limit(100, 30),
    }),
    read: async ({ project_id, archived, cursor, limit: most }, { call }) => {
      const { threads, nextCursor } = await call("listThreads", {
        query: {
          ...{ archived: archived ? "true" : "false", limit: most },
          ...(project_id ? { projectId: project_id } : {}),
          ...(cursor ? { cursor } : {}),
        },
      });
      return { threads: threads.map(toThreadLine), next_cursor: nextCursor };
    },
  }),
  defineReader({
    name: "read_thread",
    title: "Read a thread",
    description:
      "Messages of a thread, oldest first, ending with the newest or with message_id. For older ones, repeat with next_before.",
    input: z.object({
      thread_id: Id,
      before: z.int().min(1).optional().describe("Only messages with a lower number"),
      message_id: Id.optional().describe("The last message to return"),
      limit: limit(50, 20),
      max_characters: z.int().min(200).max(MAX_TEXT).default(4000).describe("Of each message"),
    }),
    read: async ({ thread_id: threadId, before, message_id, limit: most, max_characters }, { call }) => {
      const { thread } = await call("getThread", { params: { threadId }, query: { limit: 1 } });
      const { messages } = await call("listMessages", {
        params: { threadId },
        query: { limit: most, ...(before ? { before } : {}), ...(message_id ? { at: message_id } : {}) },
      });
      const shown = renderMessages(messages, max_characters);
      const first = shown[0]?.number ?? 1;
      const result = { thread: toThreadLine(thread), messages: shown, next_before: first > 1 ? first : null };
      return withNote(result, ...shown.map(({ untrusted }) => untrusted));
    },
  }),
  defineReader({
    name: "recall",
    title: "Recall passages",
    description: "Passages of one thread that match a question, in order of time, however long the thread is.",
    input: z.object({ thread_id: Id, query: z.string().min(1).max(1000) }),
    read: async ({ thread_id: threadId, query }, { call }) => {
      const { passages } = await call("recallPassages", { params: { threadId }, query: { q: query } });
      return withNote(
        {
          passages: passages.map(({ messageId, depth, role, at, text, untrusted }) => ({
            ...{ message_id: messageId, number: depth, role, at: toTime(at), text, untrusted },
          })),
        },
        ...passages.map(({ untrusted }) => untrusted),
      );
    },
  }),
  defineReader({
    name: "list_artifacts",
    title: "List artifacts",
    description: "Pages, tool results and file texts stored in a thread, by number. Continue with next_after.",
    input: z.object({ thread_id: Id, after: z.int().min(0).default(0), limit: limit(100, 50) }),
    read: async ({ thread_id: threadId, after, limit: most }, { call }) => {
      const { artifacts, nextAfter } = await call("listArtifacts", {
        params: { threadId },
        query: { after, limit: most },
      });
      return withNote(
        {
          artifacts: artifacts.map(({ ref, kind, title, url, type, characters, createdAt, untrusted }) => ({
            ...{
              ref,
              uri: `${threadUri(threadId)}/artifacts/${ref}`,
              kind,
              title: clip(title, 200),
              url,
              type,
              characters,
            },
            ...{ created_at: toTime(createdAt), untrusted },
          })),
          next_after: nextAfter,
        },
        ...artifacts.map(({ untrusted }) => untrusted),
      );
    },
  }),
  defineReader({
    name: "read_artifact",
    title: "Read an artifact",
    description: "The text of an artifact of a thread from a character on. Continue with next_from.",
    input: z.object({
      thread_id: Id,
      ref: Ref,
      from: z.int().min(0).default(0),
      max_characters: z.int().min(200).max(MAX_TEXT).default(8000),
    }),
    read: async ({ thread_id: threadId, ref, from, max_characters }, { call }) => {
      const { text, title, url, kind, type, untrusted } = await call("getArtifact", { params: { threadId, ref } });
      const end = from + max_characters;
      const result = {
        ...{ ref, kind, title: clip(title, 200), url, type, characters: text.length, untrusted },
        text: text.slice(from, end).toWellFormed(),
        next_from: end < text.length ? end : null,
      };
      return withNote(result, untrusted);
    },
  }),
];

const projectTools: readonly McpTool[] = [
  defineReader({
    name: "list_projects",
    title: "List projects",
    description: "The user's projects, last changed first.",
    input: z.object({ archived: z.boolean().default(false), limit: limit(100, 50) }),
    read: async ({ archived, limit: most }, { call }) => {
      const { projects } = await call("listProjects", { query: { archived: archived ? "true" : "false" } });
      return {
        projects: projects.slice(0, most).map(({ id, name, description, updatedAt }) => ({
          ...{ id, uri: projectUri(id), name, description: clip(description, 300), updated_at: toTime(updatedAt) },
        })),
        more: Math.max(0, projects.length - most),
      };
    },
  }),
  defineReader({
    name: "read_project",
    title: "Read a project",
    description:
      "A project with its instructions and entities (goals, tasks, documents ...). Continue with next_cursor.",
    input: z.object({
      project_id: Id,
      kind: z.string().max(40).optional(),
      open: z.boolean().optional().describe("true: only entities that are not ended"),
      query: z.string().max(200).optional().describe("Words in title or text"),
      cursor: z.string().max(400).optional(),
      limit: limit(200, 50),
    }),
    read: async ({ project_id: projectId, kind, open, query, cursor, limit: most }, { call }) => {
      const { project, counts, files } = await call("getProject", { params: { projectId } });
      const page = await call("listEntities", {
        params: { projectId },
        query: {
          limit: most,
          ...(kind ? { kind } : {}),
          ...(open === true ? { open: "true" as const } : {}),
          ...(query ? { q: query } : {}),
          ...(cursor ? { cursor } : {}),
        },
      });
      const { id, name, description, instructions, version } = project;
      return withGeneralNote({
        project: {
          id,
          uri: projectUri(id),
          name,
          description,
          instructions: clip(instructions, 8000),
          version,
          counts,
          files,
        },
        entities: page.entities.map(({ projectId: _, excerpt, ...entity }) => ({
          ...entity,
          excerpt: clip(excerpt, 300),
        })),
        total: page.total,
        next_cursor: page.nextCursor,
      });
    },
  }),
  defineReader({
    name: "read_entity",
    title: "Read an entity",
    description: "One entity of a project with its text, version, ancestors, children and links.",
    input: z.object({ project_id: Id, entity_id: Id }),
    read: async ({ project_id, entity_id }, { call }) => {
      const found = await call("getEntity", { params: { projectId: project_id, entityId: entity_id } });
      return withGeneralNote({ ...found, entity: { ...found.entity, body: clip(found.entity.body, MAX_TEXT) } });
    },
  }),
  defineReader({
    name: "list_acts",
    title: "List acts",
    description: "Activity log of a project, newest first: who changed what. Continue with next_before.",
    input: z.object({ project_id: Id, before: z.int().min(0).optional(), limit: limit(100, 30) }),
    read: async ({ project_id: projectId, before, limit: most }, { call }) => {
      const { acts } = await call("listActs", {
        params: { projectId },
        query: { limit: most, ...(before === undefined ? {} : { before }) },
      });
      return {
        acts: acts.map(({ id, seq, author, text, undone, createdAt }) => ({
          ...{
            id,
            seq,
            by: author.by === "person" ? "user" : "assistant",
            text: clip(text, 500),
            undone,
            at: toTime(createdAt),
          },
        })),
        next_before: acts.length === most ? (acts.at(-1)?.seq ?? null) : null,
      };
    },
  }),
];

const otherTools: readonly McpTool[] = [
  defineReader({
    name: "read_memory",
    title: "Read memory",
    description: "Memory about the user across threads, by field, with the reason for each value.",
    input: z.object({}),
    read: async (_, { call }) => {
      const { memory } = await call("getMemory", { query: { limit: 1 } });
      const known = memoryFields.flatMap((field) => {
        const value = memory[field];
        return value
          ? [[field, { value: value.value, reason: value.reason, updated_at: toTime(value.updatedAt) }]]
          : [];
      });
      return { memory: Object.fromEntries(known) };
    },
  }),
  defineReader({
    name: "list_receipts",
    title: "List receipts",
    description: "Receipts of a thread, one for each model call, newest first. Continue with next_before.",
    input: z.object({ thread_id: Id, before: Id.optional(), limit: limit(100, 20) }),
    read: async ({ thread_id: threadId, before, limit: most }, { call }) => {
      const { receipts, nextBefore } = await call("listReceipts", {
        params: { threadId },
        query: { limit: most, ...(before ? { before } : {}) },
      });
      return {
        receipts: receipts.map(({ id, createdAt, model, promptTokens, call: made }) => ({
          ...{
            id,
            uri: `${threadUri(threadId)}/receipts/${id}`,
            at: toTime(createdAt),
            model,
            prompt_tokens: promptTokens,
          },
          ...{ purpose: made?.purpose ?? null, outcome: made?.outcome ?? null, cost_usd: made?.costUsd ?? null },
        })),
        next_before: nextBefore,
      };
    },
  }),
  defineReader({
    name: "read_receipt",
    title: "Read a receipt",
    description: "What one model call contained and left out, with reasons, cost and untrusted sources.",
    input: z.object({ thread_id: Id, receipt_id: Id }),
    read: async ({ thread_id: threadId, receipt_id: receiptId }, { call }) => {
      const { receipt, ...found } = await call("getReceipt", { params: { threadId, receiptId } });
      const { items, leftOut, recipe: _, stable: __, ...head } = receipt;
      return withNote(
        {
          ...found,
          ...head,
          items: items.slice(0, 200).map((item) => ({ ...item, ...(item.text ? { text: clip(item.text, 500) } : {}) })),
          more_items: Math.max(0, items.length - 200),
          left_out: leftOut.slice(0, 100),
        },
        receipt.untrusted,
      );
    },
  }),
  defineReader({
    name: "list_profiles",
    title: "List profiles",
    description: "Profiles that can answer a question with `ask`.",
    input: z.object({}),
    read: async (_, { call }) => {
      const { profiles } = await call("listProfiles");
      return {
        profiles: profiles.map(({ id, name, builtIn, model, messageCharacters }) => ({
          ...{ id, name, built_in: builtIn, model, max_question_characters: messageCharacters },
        })),
      };
    },
  }),
];

/** Tools that change nothing. */
export const readTools: readonly McpTool[] = [...threadTools, ...projectTools, ...otherTools];
