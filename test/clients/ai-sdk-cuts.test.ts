import { connect } from "node:net";
import type { UIMessage } from "ai";
import fc from "../support/fast-check.ts";
import { expect, test } from "vitest";
import type { MessageHead, ThreadEvent } from "../../protocol/events.ts";
import { applyEvent, emptyThreadView, type ThreadView } from "../../protocol/fold.ts";
import type { ModelEvent } from "../../protocol/model.ts";
import type { Part, PartOf } from "../../protocol/parts.ts";
import { noUsage, type RunView } from "../../protocol/run.ts";
import { createChatStream } from "../../server/surfaces/ai-sdk/chat-stream.ts";
import { call, createGate, startInstance } from "../support/instance.ts";
import {
  openChat,
  postChat,
  readMessage,
  receive,
  resumeChat,
  toChunks,
  toPlain,
  userMessage,
} from "../support/clients/ai-sdk.ts";
import { lookTool } from "../support/clients/look-tool.ts";

const isDeep = process.env["STONECHAT_DEEP"] === "1";
const model = "scripted/script";
const usage = { ...noUsage, inputTokens: 1, outputTokens: 1 };

/** An answer of two steps with reasoning, a tool, a failed attempt and text of several bytes per character. */
const firstStep: readonly ModelEvent[] = [
  { type: "start", key: "r", kind: "reasoning" },
  { type: "delta", key: "r", text: "Wait – " },
  { type: "delta", key: "r", text: "let me look." },
  { type: "end", key: "r" },
  { type: "start", key: "t", kind: "text" },
  { type: "delta", key: "t", text: "Looking… " },
  { type: "end", key: "t" },
  ...call({ name: "look", input: `{"q":"ä"}` }),
];
const failedAttempt: readonly ModelEvent[] = [
  { type: "start", key: "t", kind: "text" },
  { type: "delta", key: "t", text: "This is lost" },
  { type: "failed", failure: { code: "cut", fault: "provider", text: "The connection was lost." } },
];
const lastStep: readonly ModelEvent[] = [
  { type: "start", key: "t", kind: "text" },
  { type: "delta", key: "t", text: "Found “x”" },
  { type: "delta", key: "t", text: " 😀\n" },
  { type: "delta", key: "t", text: "and\ty." },
  { type: "end", key: "t" },
  { type: "finish", reason: "stop", usage },
];

test("resumed at any event of a running answer, in any number of tabs, it ends as the same message", async () => {
  const resumed: Promise<UIMessage>[] = [];
  const started = createGate();
  let attempts = 0;
  const instance = await startInstance({
    tools: [lookTool],
    script: async function* (request) {
      const isFirst = !request.messages.some(({ role }) => role === "assistant");
      await started.passed;
      for (const event of isFirst ? firstStep : attempts++ === 0 ? failedAttempt : lastStep) {
        const response = await resumeChat(instance.url, "live");
        expect(response.status).toBe(200);
        resumed.push(receive(response).then(async ({ text }) => readMessage(await toChunks(text))));
        yield event;
      }
    },
  });
  const posted = postChat(instance.url, { id: "live", messages: [userMessage("u", "go")], model });
  await expect.poll(async () => (await instance.client.listThreads({})).threads[0]?.status).toBe("streaming");
  started.open();
  const message = await readMessage(await toChunks((await receive(await posted)).text));
  expect(message.parts.map(({ type }) => type)).toEqual([
    ...["step-start", "reasoning", "text", "tool-look"],
    ...["step-start", "data-notice", "step-start", "text", "source-url"],
  ]);
  expect(resumed.length).toBe(firstStep.length + failedAttempt.length + lastStep.length);
  for (const one of await Promise.all(resumed)) expect(one).toEqual(message);
  const history = await instance.client.getChat({ params: { chatId: "live" } });
  expect(history.messages.at(-1)).toEqual(message);
});

test("cut at any byte and resumed, useChat's own class ends with the same message", async () => {
  const instance = await startInstance({
    tools: [lookTool],
    script: (request) => (request.messages.some(({ role }) => role === "assistant") ? lastStep : firstStep),
  });
  const body = { id: "bytes", messages: [userMessage("u", "go")], model };
  const whole = Buffer.from((await receive(await postChat(instance.url, body))).text);
  const expected = await readMessage(await toChunks(whole.toString()));
  const stepBytes = isDeep ? 1 : 61;
  for (let at = 0; at < whole.length; at += stepBytes) {
    const cut = new ReadableStream({
      start: (controller) => {
        controller.enqueue(whole.subarray(0, at));
        controller.error(new TypeError("network error"));
      },
    });
    const chat = openChat(instance.url, "bytes", {
      transportOptions: {
        fetch: (path, init) =>
          init?.method === "POST" ? Promise.resolve(new Response(cut)) : fetch(`${instance.url}${String(path)}`, init),
      },
    });
    await chat.sendMessage({ text: "go" });
    expect(chat.status).toBe("error");
    await chat.resumeStream();
    expect(chat.status).toBe("ready");
    expect(toPlain(chat.messages.at(-1)), `cut at byte ${at}`).toEqual(expected);
    expect(chat.messages).toHaveLength(2);
  }
});

const threadId = "thread";
const head: MessageHead = {
  ...{ id: "a", role: "assistant", branchId: "b", depth: 2, runId: "run", variants: ["a"], createdAt: 1 },
};
const run: RunView = {
  ...{ id: "run", threadId, messageId: "a", state: "running", outcome: null, reason: null, step: 1, model },
  ...{ usage: noUsage, costUsd: 0, startedAt: 1, endedAt: null },
};
const settled = (part: Part): ThreadEvent => ({ type: "part-settled", messageId: "a", part });
const stepped: ThreadEvent = { type: "run-stepped", run };

type Piece = { readonly kind: "text" | "reasoning" | "tool" | "file" | "source"; readonly texts: readonly string[] };

/** The events of an attempt: deltas of its parts, interleaved, then all parts in one batch, kept or superseded. */
function toEvents(pieces: readonly Piece[], first: number, step: number, order: readonly number[], isKept: boolean) {
  const base = (index: number) => ({ id: `a.${first + 1 + index}`, v: 1 as const, n: first + 1 + index, step });
  const start: Part = { id: `a.${first}`, v: 1, n: first, step, kind: "step", attempt: 1, model };
  const deltas = pieces.flatMap(({ kind, texts }, index): { at: number; event: ThreadEvent }[] =>
    kind === "file" || kind === "source"
      ? []
      : texts.map((text, at) => {
          const { id: partId, n } = base(index);
          // The text is last, as the server writes it.
          const place = { messageId: "a", partId, n, step };
          const turn = (order[(index + at) % order.length] ?? 0) + at * 41;
          return kind === "tool"
            ? { at: turn, event: { type: "tool-input-delta", ...place, callId: `c${n}`, name: "look", text } }
            : { at: turn, event: { type: "text-delta", ...place, kind, text } };
        }),
  );
  const parts = pieces.map(({ kind, texts }, index): Part => {
    const aside = isKept ? {} : { aside: "superseded" };
    const text = texts.join("");
    if (kind === "file") return { ...base(index), ...aside, kind, mediaType: "image/png", content: "AAAA" };
    if (kind === "source") return { ...base(index), ...aside, kind, sourceType: "url", url: `https://x/${index}` };
    if (kind !== "tool") return { ...base(index), ...aside, kind, state: isKept ? "done" : "cut", text };
    const tool = { ...base(index), ...aside, kind, callId: `c${index}`, name: "look", input: { text } } as const;
    return isKept ? { ...tool, state: "ready" } : { ...tool, state: "cancelled", errorText: "superseded" };
  });
  const tools = isKept ? parts.filter((part): part is PartOf<"tool"> => part.kind === "tool") : [];
  return [
    settled(start),
    ...deltas.toSorted((a, b) => a.at - b.at).map(({ event }) => event),
    ...parts.map(settled),
    stepped,
    ...tools.map((part) => settled({ ...part, state: "running", progress: { text: "half" } })),
    ...tools.map((part) => settled({ ...part, state: "ok", output: { n: part.n } })),
    ...(tools.length > 0 ? [stepped] : []),
  ];
}

test("a text that was continued and then superseded cannot be corrected: the stream is cut, and a replay is right", async () => {
  const text = (n: number, more: object): Part =>
    ({ id: `a.${n}`, v: 1, n, step: 1, kind: "text", state: "done", text: "half", ...more }) as Part;
  const step = (n: number): Part => ({ id: `a.${n}`, v: 1, n, step: 1, kind: "step", attempt: 1, model });
  const delta = { type: "text-delta", messageId: "a", kind: "text", step: 1 } as const;
  const before: ThreadEvent[] = [
    { type: "message-added", message: { ...head, id: "u", role: "user", depth: 1, runId: null, variants: ["u"] } },
    { type: "message-added", message: head },
    settled(step(0)),
    { ...delta, partId: "a.1", n: 1, text: "half" },
    settled(text(1, { state: "cut" })),
    stepped,
    settled(step(2)),
    { ...delta, partId: "a.3", n: 3, joined: true, text: " of it" },
  ];
  const toRows = (events: readonly ThreadEvent[]) =>
    events.map((event, n) => ({ seq: n + 1, body: JSON.stringify(event) }));
  const kept = createChatStream(threadId, 0, { inputId: "u" });
  const whole = kept.toText(toRows([...before, settled(text(3, { text: " of it", joined: true })), stepped]));
  expect(kept.isBroken()).toBe(false);
  expect((await readMessage(await toChunks(whole))).parts.filter(({ type }) => type === "text")).toEqual([
    { type: "text", text: "half of it", state: "done" },
  ]);
  const lost = createChatStream(threadId, 0, { inputId: "u" });
  lost.toText(toRows([...before, settled(text(3, { text: " of it", joined: true, aside: "superseded" })), stepped]));
  expect(lost.isBroken()).toBe(true);
  const parts = [step(0), text(1, { state: "cut" }), step(2), text(3, { joined: true, aside: "superseded" })];
  const message = { ...head, parts };
  const replay = createChatStream(threadId, 0, { message, run, clientSteps: null, isContinuing: false });
  const texts = (await readMessage(await toChunks(replay.first))).parts.filter(({ type }) => type === "text");
  expect(texts).toEqual([{ type: "text", text: "half", state: "streaming" }]);
});

const piece = fc.record({
  kind: fc.constantFrom("text" as const, "reasoning" as const, "tool" as const, "file" as const, "source" as const),
  texts: fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
});
const attempt = fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 4 }),
  order: fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
  isKept: fc.boolean(),
});

test("any order of deltas, superseded attempts and cuts gives the message that the stored parts give", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 1, maxLength: 3 }), fc.nat(), async (attempts, at) => {
      let n = 0;
      const events: ThreadEvent[] = attempts.flatMap(({ pieces, order, isKept }, index) => {
        const made = toEvents(pieces, n, index + 1, order, isKept);
        n += pieces.length + 1;
        return made;
      });
      const ended: RunView = { ...run, state: "ended", outcome: "done", endedAt: 2 };
      const all: ThreadEvent[] = [
        { type: "message-added", message: { ...head, id: "u", role: "user", depth: 1, runId: null, variants: ["u"] } },
        { type: "message-added", message: head },
        { type: "run-started", run },
        ...events,
        { type: "run-ended", run: ended },
      ];
      const rows = all.map((event, index) => ({ seq: index + 1, body: JSON.stringify(event) }));
      const live = createChatStream(threadId, 0, { inputId: "u" });
      const uncut = await readMessage(await toChunks(live.first + live.toText(rows)));
      expect(live.isDone()).toBe(true);
      const cut = 3 + (at % (all.length - 2));
      const view = all
        .slice(0, cut)
        .reduce((next, event, index) => applyEvent(next, index + 1, event), { ...emptyThreadView, run } as ThreadView);
      const answer = { message: view.messages.at(-1)!, run: view.run!, clientSteps: null, isContinuing: false };
      const again = createChatStream(threadId, cut, answer);
      const resumed = await readMessage(
        await toChunks(again.first + (again.isDone() ? "" : again.toText(rows.slice(cut)))),
      );
      expect(resumed).toEqual(uncut);
    }),
    { numRuns: isDeep ? 5_000 : 300 },
  );
});

const token = "a-token-of-32-characters-or-more";

/** A response as its bytes were received. */
async function exchange(url: string, version: string, body: object): Promise<string> {
  const { hostname, port } = new URL(url);
  const json = JSON.stringify(body);
  const fields = `host: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json`;
  const socket = connect(Number(port), hostname);
  const length = `content-length: ${Buffer.byteLength(json)}`;
  socket.write(`POST /api/chat HTTP/${version}\r\n${fields}\r\n${length}\r\n\r\n${json}`);
  const pieces = await socket.toArray();
  return Buffer.concat(pieces as Buffer[]).toString();
}

test("a complete stream ends with the last chunk, and HTTP/1.0 gets no chunks", async () => {
  const instance = await startInstance({ env: { STONECHAT_TOKEN: token }, script: () => lastStep });
  const ask = (version: string, id: string) =>
    exchange(instance.url, version, { id, messages: [userMessage(`${id}-u`, "go")], model });

  const chunked = await ask("1.1", "one");
  const [head = "", ...rest] = chunked.split("\r\n\r\n");
  expect(head).toContain("transfer-encoding: chunked");
  expect(rest.join("\r\n\r\n")).toMatch(/\r\n0\r\n\r\n$/);
  let bytes = Buffer.from(rest.join("\r\n\r\n"));
  let text = "";
  for (let size = -1; size !== 0;) {
    const end = bytes.indexOf("\r\n");
    size = Number.parseInt(bytes.subarray(0, end).toString(), 16);
    text += bytes.subarray(end + 2, end + 2 + size).toString();
    expect(bytes.subarray(end + 2 + size, end + 4 + size).toString()).toBe("\r\n");
    bytes = bytes.subarray(end + 4 + size);
  }
  expect(bytes.length).toBe(0);
  const message = await readMessage(await toChunks(text.replace(/^: \n\n/, "")));
  expect(message.parts).toContainEqual(expect.objectContaining({ text: "Found “x” 😀\nand\ty." }));

  const plain = await ask("1.0", "two");
  expect(plain).not.toContain("transfer-encoding");
  expect(plain).toMatch(/data: \[DONE\]\n\n$/);
});
