import type { Response } from "../../../protocol/api.ts";
import type { LogEvent } from "../../../protocol/events.ts";
import type { Part } from "../../../protocol/parts.ts";
import { createContext, epoch, summary } from "../stub-context.ts";
import * as stub from "../stub-parts.ts";
import type { Reply } from "../stub-thread.ts";

/** A mark that finds a payload on the page. It precedes the payload, so that the payload cannot hide it. */
export const markOf = (index: number): string => `(m${index})`;
export const inLine = (payload: string, index: number): string => `${markOf(index)} ${payload}`;
export const inBlocks = (payload: string, index: number): string => `${markOf(index)}\n\n${payload}`;

/** An answer with each payload in every kind of part. */
export function toParts(payloads: readonly string[]): readonly Part[] {
  let n = 0;
  const next = () => ++n;
  const base = () => ({ id: `part-${next()}`, v: 1 as const, n, step: 1 });
  return payloads.flatMap((payload, index): readonly Part[] => {
    const line = inLine(payload, index);
    const recalled = [{ messageId: "stub-question", depth: 1, role: "user", at: stub.at, score: 0.9, text: line }];
    return [
      { ...base(), kind: "context", text: line, recalled },
      { ...base(), kind: "reasoning", state: "done", text: inBlocks(payload, index) },
      { ...base(), kind: "text", state: "done", text: inBlocks(payload, index) },
      { ...base(), kind: "text", state: "done", text: payload },
      { ...base(), kind: "notice", level: "warning", code: "x", text: line },
      { ...base(), kind: "data", name: payload, value: { [payload]: line } },
      { ...base(), kind: "file", mediaType: payload, name: line, content: btoa("x") },
      { ...base(), kind: "file", mediaType: "image/svg+xml", name: line, content: btoa("<svg onload=alert(1)>") },
      stub.source(next(), { url: payload, title: line, status: "read", ref: index + 1 }),
      stub.source(next(), { url: `https://${payload}`, title: payload, status: "failed", error: line }),
      ...toCalls(payload, line, next),
    ];
  });
}

const toCalls = (payload: string, line: string, next: () => number): readonly Part[] => [
  stub.tool(next(), payload, {
    title: line,
    input: { [payload]: payload },
    output: { [payload]: line },
    note: line,
    digest: payload,
    gist: payload,
  }),
  stub.tool(next(), "mcp__files__read", { state: "error", inputText: payload, errorText: line }),
  stub.tool(next(), "search_web", {
    title: line,
    input: { query: payload },
    output: {
      query: payload,
      provider: payload,
      attempts: [{ provider: payload, code: "refused", reason: line }],
      results: [{ title: line, url: payload, relevance: 0.5, ref: 1, snippet: payload }],
    },
  }),
  stub.tool(next(), "scrape_webpage", {
    input: { urls: [payload] },
    output: {
      pages: [
        { url: payload, title: line, author: payload, ref: 1 },
        { url: payload, error: { code: "server-error", message: line } },
      ],
    },
  }),
  stub.tool(next(), "working_memory", {
    title: line,
    input: { changes: [{ field: "location", op: "replace", value: payload, reason: line }] },
    output: { changes: [{ changeId: "c", field: "location", before: payload, after: line }] },
  }),
  stub.tool(next(), "calculate", { title: payload, output: { result: line, exact: true, read: payload } }),
  stub.tool(next(), payload, { state: "running", progress: { text: line, done: 1, of: 2 } }),
  stub.tool(next(), payload, {
    state: "asking",
    title: payload,
    input: { path: payload },
    asks: { code: "x", text: line },
  }),
];

/** Server replies for a thread in which every value is one of the payloads. */
export function toReplies(payloads: readonly string[]): Readonly<Record<string, Reply>> {
  const lines = payloads.map(inLine);
  const first = payloads[0] ?? "";
  const context = createContext({
    pins: lines.map((text, index) => ({ id: `pin-${index}`, text, messageId: null, createdAt: stub.at })),
    summaries: lines.map((text, index) => ({
      ...summary,
      id: `summary-${index}`,
      model: text,
      error: { message: text, fallbackAttempts: 1, lastAttemptModel: text },
      fields: {
        overview: text,
        keyPoints: [text],
        decisions: [text],
        actionItems: [{ text, context: text }],
        openQuestions: [text],
        toolResults: [{ toolName: text, summary: text, importance: "high" }],
      },
    })),
    epochs: [{ ...epoch, head: payloads.map(inBlocks).join("\n\n") }],
  });
  const blocks = lines.map((text, index) => ({
    slot: "log" as const,
    kind: "message",
    id: `m${25 + (index % 4)}`,
    role: "user",
    text,
  }));
  return {
    ...context.replies,
    getRequest: () => ({
      verified: true,
      system: lines.join("\n"),
      tools: payloads.map((name) => ({ name, description: name, inputSchema: { [name]: name } })),
      missing: [],
      blocks,
    }),
    getArtifact: (): Response<"getArtifact"> => ({
      ...stub.artifact,
      title: first,
      url: first,
      text: payloads.map(inBlocks).join("\n\n"),
    }),
  };
}

/** A user message, its files and queued messages, each with every payload. */
export function toUserMessage(payloads: readonly string[]): readonly LogEvent[] {
  const lines = payloads.map(inLine);
  const base = { v: 1, step: 0 } as const;
  const text = payloads.map(inBlocks).join("\n\n").slice(0, 3900);
  const parts: readonly Part[] = [
    { ...base, id: "said", n: 0, kind: "text", state: "done", text },
    ...lines.map((name, index): Part => ({
      ...{ ...base, id: `file-${index}`, n: index + 1, kind: "file", mediaType: "text/plain", name },
      ...{ attachmentId: `a${index}`, sizeBytes: 12, ref: index + 1, digest: name },
    })),
  ];
  const id = "said-hostile";
  return [
    {
      type: "message-added",
      message: { id, role: "user", branchId: "b", depth: 3, runId: null, variants: [id], createdAt: stub.at },
    },
    ...parts.map((part): LogEvent => ({ type: "part-settled", messageId: id, part })),
    ...lines.slice(0, 20).map((line, index): LogEvent => ({
      type: "input-queued",
      input: { id: `waits-${index}`, kind: "message", mode: "queue", text: line, createdAt: stub.at },
    })),
  ];
}
