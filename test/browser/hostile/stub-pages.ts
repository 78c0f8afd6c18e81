import type { Page } from "playwright-core";
import type { ModelInfo, Response } from "../../../protocol/api.ts";
import { memoryFields } from "../../../protocol/memory.ts";
import type { RouteName } from "../../../protocol/routes.ts";
import type { SearchHit } from "../../../protocol/search.ts";
import type { SharedPart } from "../../../protocol/account/shares.ts";
import { providers } from "../settings/stub-settings.ts";
import * as stub from "../stub-parts.ts";
import { answerRoute, type Reply } from "../stub-thread.ts";
import { inBlocks, inLine } from "./stub-payloads.ts";

const { at } = stub;

/** Replies for lists, search, models, settings, memory and costs in which all content by others is one of the payloads. */
export async function stubHostilePages(page: Page, url: string, payloads: readonly string[]): Promise<void> {
  const lines = payloads.map(inLine);
  const first = payloads[0] ?? "";
  const cost = (key: string, label: string) => ({
    ...{ key, label, calls: 2, inputTokens: 9, outputTokens: 9, cacheReadTokens: 0, costUsd: 0.2, unpriced: 0 },
  });
  const replies: Partial<Record<RouteName, Reply>> = {
    listThreads: (): Response<"listThreads"> => ({
      seq: 0,
      threads: lines.map((title, index) => ({
        ...stub.listed,
        ...{ id: `thread-${index}`, title, preview: payloads[index] ?? "", model: first, profile: first },
        updatedAt: at - index,
      })),
      nextCursor: null,
    }),
    search: () => ({ hits: toHits(lines) }),
    listModels: () => ({ models: toModels(lines) }),
    listTools: () => ({
      commands: lines.map((about, index) => ({ command: `@c${index}`, tool: payloads[index] ?? "", about })),
      tools: payloads.map((description, index) => ({
        name: `t${index}`,
        description,
        repeat: "pure",
        effects: ["read"],
      })),
    }),
    getMemory: (): Response<"getMemory"> => toMemory(lines),
    getCosts: (_, __, query) => ({
      from: at - 29 * 86_400_000,
      to: at,
      rows: query.get("by") === "day" ? [cost("2026-09-21", "2026-09-21")] : lines.map((line) => cost(line, line)),
      total: cost("total", "total"),
    }),
    listProviders: () => ({
      providers: providers.map((one, index) => {
        const text = lines[index] ?? first;
        const lastTest = { outcome: "failed" as const, models: null, text, at };
        return { ...one, note: text, baseUrl: one.takesAddress ? text : null, modelNames: [...lines], lastTest };
      }),
    }),
    listServers: () => ({
      servers: lines.map((why, index) => ({
        ...{ server: `s${index}`, kind: "http", state: index % 2 ? "resting" : "ready", why, problems: [why] },
        tools: [{ tool: payloads[index] ?? "", title: why, changed: true }],
        changes: [{ tool: payloads[index] ?? "", hash: "h", lines: [{ sign: "+", text: why }] }],
      })),
    }),
    listShares: () => ({
      shares: lines.map((title, index) => ({
        ...{ id: `share-${index}`, threadId: "stub-thread", title, messages: 1, redacted: 0, createdAt: at },
      })),
    }),
    getShared: (): Response<"getShared"> => ({
      title: lines.join(" ").slice(0, 1000),
      sharedAt: at,
      leftOut: 0,
      messages: payloads.flatMap((payload, index) => [
        { role: "user" as const, createdAt: at, model: null, parts: [...toShared(payload, index)] },
        { role: "assistant" as const, createdAt: at, model: payload, parts: [...toShared(payload, index)] },
      ]),
    }),
  };
  for (const [name, reply] of Object.entries(replies) as [RouteName, Reply][])
    await answerRoute(page, url, name, reply);
}

const toShared = (payload: string, index: number): readonly SharedPart[] => [
  { kind: "text", text: inBlocks(payload, index) },
  { kind: "text", text: payload },
  { kind: "tool", name: payload, title: inLine(payload, index), state: "ok" },
  { kind: "source", title: inLine(payload, index), url: payload, ref: 1 },
  { kind: "notice", level: "error", text: payload },
  { kind: "file", name: inLine(payload, index), mediaType: payload },
];

const toHits = (lines: readonly string[]): SearchHit[] =>
  lines.map((line, index) => ({
    kind: "said",
    title: line,
    thread: { ...stub.listed, id: `thread-${index}`, title: line },
    messageId: "m",
    target: { at: "message", threadId: `thread-${index}`, messageId: "m" },
    snippet: line,
    marks: [[0, Math.min(9, line.length)]],
    at,
  }));

const toModels = (lines: readonly string[]): ModelInfo[] =>
  lines.map((line, index) => ({
    id: index === 0 ? "scripted/script" : `scripted/m${index}`,
    name: line,
    provider: line,
    free: index % 2 === 0,
    available: index % 3 !== 0,
    unavailable: line,
    note: line,
    reasoning: true,
    windowTokens: 1000,
    prices: { input: 1, output: 1, cacheRead: null, cacheWrite: null },
    source: null,
  }));

function toMemory(lines: readonly string[]): Response<"getMemory"> {
  const changes = lines.map((after, index) => ({
    ...{ id: `change-${index}`, field: memoryFields[index % memoryFields.length] ?? "notes", before: after, after },
    ...{ reason: after, threadId: null, messageId: null, undone: false, undoable: true, replacedBy: null },
    createdAt: at,
  }));
  const fields = memoryFields.map((field, index) => {
    const value = lines[index] ?? "";
    return [field, { value, changeId: "c", updatedAt: at, reason: value, threadId: null, messageId: null }];
  });
  return { memory: Object.fromEntries(fields) as Response<"getMemory">["memory"], changes };
}
