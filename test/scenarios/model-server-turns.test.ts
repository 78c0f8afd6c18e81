import { onTestFinished, expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { call, chunk, finish, healthyReply, text, toSse } from "../support/chat-wire.ts";
import { createGate, mintId, startInstance, type Instance } from "../support/instance.ts";
import { until } from "../support/server/until.ts";
import { createProviderServer, type Fault, type ProviderCall, type RecordedReply } from "../support/provider-server.ts";

/** A server with models of a compatible server; `next` answers each call by its model and number. */
const startWith = async (
  next: (call: ProviderCall & { readonly model: string }) => Fault | RecordedReply,
  options: { readonly env?: Record<string, string>; readonly timeouts?: object } = {},
) => {
  let index = -1;
  const provider = await createProviderServer({
    next: (received) => {
      if (received.path.endsWith("/models")) return { status: 404, body: "" };
      const { model = "" } = (received.body ?? {}) as { model?: string };
      index += 1;
      return next({ ...received, index, model });
    },
  });
  onTestFinished(provider.close);
  const instance = await startInstance({
    env: {
      STONECHAT_SCRIPTED: "0",
      STONECHAT_MODEL: "compatible/a",
      STONECHAT_COMPATIBLE_URL: provider.url,
      STONECHAT_COMPATIBLE_MODELS: "a,b",
      STONECHAT_FALLBACKS: "none/none",
      STONECHAT_SUMMARY_MODELS: "none/none",
      ...options.env,
    },
    ...(options.timeouts ? { timeouts: options.timeouts } : {}),
  });
  const bodies = () => provider.calls.filter(({ path }) => !path.endsWith("/models")).map((received) => received.text);
  return { ...instance, provider, bodies };
};

test.each([
  ["the output limit", toSse([text("The first half"), finish("length")]), "ended-length"],
  ["an interruption", toSse([text("The first half"), finish("abort")]), "ended-interrupted"],
  ["an unknown reason", toSse([text("The first half"), finish("tired")]), "ended-other"],
])("Continue after %s continues the same answer from its text", async (_, cut, code) => {
  const { start, send, follow, client, bodies } = await startWith(({ index }) =>
    index === 0 ? { body: cut } : healthyReply("and the second."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Say both halves.");
  const first = await live.ended(1);
  expect(first).toMatchObject({ outcome: "limit", reason: { code } });
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect(await live.ended(2)).toMatchObject({ id: first.id, outcome: "done", reason: null });
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("The first half and the second.");
  expect(bodies()).toHaveLength(2);
  expect(bodies()[1]).toContain("The first half");
});

test("Continue after the time limit continues from the text; the answer is not restarted", async () => {
  const { start, send, follow, client, bodies } = await startWith(
    ({ index }) =>
      index === 0
        ? {
            name: "never ends",
            respond: (_call, res) => {
              res.writeHead(200, { "content-type": "text/event-stream" });
              res.write(`data: ${JSON.stringify(text("The first half"))}\n\n`);
            },
          }
        : healthyReply("and the second."),
    { timeouts: { totalMs: 1500 } },
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Say both halves.");
  const first = await live.ended(1);
  expect(first).toMatchObject({ outcome: "limit", reason: { code: "ended-time-limit" } });
  expect(first.usage.inputTokens).toBeGreaterThan(100);
  expect(bodies()).toHaveLength(1);
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  await live.ended(2);
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("The first half and the second.");
});

test("when every attempt fails, the longest text stays for Continue", async () => {
  const cut = (words: string): RecordedReply => ({ body: `data: ${JSON.stringify(text(words))}\n\n` });
  const { start, send, follow, client, bodies } = await startWith(({ index }) =>
    index === 0
      ? cut("The tide rises twice a day and")
      : index === 1
        ? cut("The tide")
        : healthyReply(" falls twice a day."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "What does the tide do?");
  expect(await live.ended(1)).toMatchObject({ outcome: "failed" });
  expect(bodies()).toHaveLength(2);
  const texts = () => (live.view().messages.at(-1)?.parts ?? []).filter(({ kind }) => kind === "text");
  expect(texts()).toMatchObject([
    { text: "The tide rises twice a day and", state: "cut" },
    { text: "The tide", state: "cut", aside: expect.any(String) },
  ]);
  expect(texts()[0]).not.toHaveProperty("aside");
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect((await live.ended(2)).outcome).toBe("done");
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("The tide rises twice a day and falls twice a day.");
  expect(bodies()[2]).toContain("The tide rises twice a day and");
});

test("Continue joins inside a word if the model repeats its last words", async () => {
  const { start, send, follow, client, bodies } = await startWith(({ index }) =>
    index === 0
      ? { body: toSse([text("Stones keep wor"), finish("length")]) }
      : healthyReply("Stones keep words for a long time."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "What do stones keep?");
  await live.ended(1);
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect((await live.ended(2)).outcome).toBe("done");
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("Stones keep words for a long time.");
  expect(bodies()[1]).toContain("Begin with its last words, “Stones keep wor”");
});

const hang = (words: string): Fault => ({
  name: "never ends",
  respond: (_call, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.write(`data: ${JSON.stringify(text(words))}\n\n`);
  },
});

test("Regenerate after Stop and Continue reports that the thread continued on another branch", async () => {
  const { start, send, follow, client, bodies } = await startWith(({ index }) =>
    index === 0 ? hang("The first half") : healthyReply(" and the second."),
  );
  const threadId = await start();
  const params = { threadId };
  const live = follow(threadId);
  await send(threadId, "Say both halves.");
  await live.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []) !== "");
  await client.stopRun({ params, body: { id: mintId() } });
  await live.ended(1);
  await client.continueRun({ params, body: { id: mintId() } });
  await live.ended(2);
  const messageId = live.view().messages.at(-1)?.id ?? "";
  await client.regenerateMessage({ params: { threadId, messageId }, body: { id: mintId() } });
  await live.ended(3);
  expect(bodies().map((body) => body.includes("The first half"))).toEqual([false, true, false]);
  const { receipts } = await client.listReceipts({ params, query: {} });
  const { receipt } = await client.getReceipt({ params: { threadId, receiptId: receipts[0]?.id ?? "" } });
  expect(receipt.cache.broke).toBe("branch");
});

test("a stopped answer can be continued if it has text", async () => {
  const { start, send, follow, client, bodies } = await startWith(({ index }) =>
    index === 0 ? hang("The first half") : index === 1 ? healthyReply(" and the second.") : hang(""),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Say both halves.");
  await live.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []) !== "");
  await client.stopRun({ params: { threadId }, body: { id: mintId() } });
  const stopped = await live.ended(1);
  expect(stopped.outcome).toBe("stopped");
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect(await live.ended(2)).toMatchObject({ id: stopped.id, outcome: "done" });
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("The first half and the second.");
  expect(bodies()[1]).toContain("The first half");

  const refused = () => client.continueRun({ params: { threadId }, body: { id: mintId() } });
  await expect(refused()).rejects.toThrow(/nothing to continue/);
  await send(threadId, "And more.");
  await until("it was asked", async () => bodies().length === 3);
  await client.stopRun({ params: { threadId }, body: { id: mintId() } });
  expect((await live.ended(3)).outcome).toBe("stopped");
  await expect(refused()).rejects.toThrow(/nothing to continue/);
});

test("a failed answer keeps the text of its last attempt and can be continued", async () => {
  const cut = { body: `data: ${JSON.stringify(text("The first half"))}\n\n` };
  const { start, send, follow, client, bodies } = await startWith(({ index }) =>
    index < 2 ? cut : healthyReply("The first half and the second."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Say both halves.");
  const failed = await live.ended(1);
  expect(failed).toMatchObject({ outcome: "failed", reason: { code: "cut" } });
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("The first half");
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect(await live.ended(2)).toMatchObject({ id: failed.id, outcome: "done", reason: null });
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("The first half and the second.");
  expect(bodies()).toHaveLength(3);
  const { messages, status } = await client.getThread({ params: { threadId } }).then(({ messages: all, thread }) => ({
    messages: all,
    status: thread.status,
  }));
  expect(textOf(messages.at(-1)?.parts ?? [])).toBe("The first half and the second.");
  expect(status).toBe("idle");
});

test("tagged reasoning is in no later prompt, list or search", async () => {
  const { start, send, follow, client, bodies } = await startWith(({ index }) =>
    index === 0
      ? { body: toSse([text("<think>secretly obsidian</think>\n"), text("Granite."), finish()]) }
      : healthyReply("Yes."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Which stone?");
  await live.ended(1);
  await send(threadId, "Really?");
  await live.ended(2);
  expect(bodies()[1]).toContain("Granite.");
  expect(bodies()[1]).not.toContain("obsidian");
  expect(JSON.stringify(await client.listThreads({}))).not.toContain("obsidian");
  expect((await client.search({ query: { q: "obsidian" } })).hits).toEqual([]);
  expect((await client.search({ query: { q: "Granite" } })).hits).not.toEqual([]);
});

const refusesTools = ({ text: sent }: ProviderCall): RecordedReply =>
  sent.includes('"tools":[')
    ? { status: 400, body: JSON.stringify({ error: { message: "m does not support tools" } }) }
    : healthyReply("Without tools.");

test("a model without tools gets none in later turns and threads, and each thread reports it once", async () => {
  const { start, send, follow, bodies } = await startWith(refusesTools);
  const notices = async (threadId: string, turns: number) => {
    const live = follow(threadId);
    for (let turn = 1; turn <= turns; turn += 1) {
      await send(threadId, "Hello.");
      expect((await live.ended(turn)).outcome).toBe("done");
    }
    return live
      .view()
      .messages.map(({ parts }) => parts.flatMap((part) => (part.kind === "notice" ? [part.code] : [])).join());
  };
  expect(await notices(await start(), 2)).toEqual(["", "no-tools", "", ""]);
  expect(bodies()).toHaveLength(3);
  expect(await notices(await start(), 2)).toEqual(["", "no-tools", "", ""]);
  expect(bodies().filter((body) => body.includes('"tools":['))).toHaveLength(1);
});

test("a profile with an empty list of tools sends no tools at all", async () => {
  const { start, send, follow, client, bodies } = await startWith(() => healthyReply("Hello."));
  await client.createProfile({ body: { id: "bare", name: "Bare", from: "stone", tools: [] } });
  const threadId = await start({ profile: "bare" });
  const live = follow(threadId);
  await send(threadId, "What time is it, and what is the weather?");
  await live.ended(1);
  expect(bodies()[0]).not.toContain('"tools"');
  const other = await start();
  const control = follow(other);
  await send(other, "What time is it, and what is the weather?");
  await control.ended(1);
  expect(bodies()[1]).toContain('"tools":[');
});

const limited: RecordedReply = { status: 429, body: JSON.stringify({ error: { message: "Slow down." } }) };

/** Stops an answer that waits for its model's breaker. */
const stopWaiting = async ({ client, follow }: Pick<Instance, "client" | "follow">, threadId: string, turn: number) => {
  const live = follow(threadId);
  await live.until(({ run, messages }) => run?.retryAt !== undefined && messages.length === turn * 2);
  await client.stopRun({ params: { threadId }, body: { id: mintId() } });
  await live.until(({ run, messages }) => run?.outcome === "stopped" && messages.length === turn * 2);
  live.close();
};

test("a new message tries a model whose breaker is open, once while it fails", async () => {
  let isWell = false;
  const { start, send, follow, bodies, client } = await startWith(() => (isWell ? healthyReply("Here.") : limited));
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "One.");
  await live.ended(1);
  await send(threadId, "Two.");
  await stopWaiting({ client, follow }, threadId, 2);
  const before = bodies().length;
  await send(threadId, "Three.");
  await stopWaiting({ client, follow }, threadId, 3);
  expect(bodies()).toHaveLength(before + 1);
  isWell = true;
  await send(threadId, "Four.");
  expect((await live.ended(4)).outcome).toBe("done");
});

test("Continue tries a model whose breaker is open", async () => {
  const cut = { body: `data: ${JSON.stringify(text("The first half"))}\n\n` };
  let reply: RecordedReply = cut;
  const { start, send, follow, client } = await startWith(() => reply);
  const [threadId, other] = [await start(), await start()];
  const [live, beside] = [follow(threadId), follow(other)];
  await send(threadId, "Both halves, please.");
  expect((await live.ended(1)).outcome).toBe("failed");
  reply = limited;
  await send(other, "And here?");
  await beside.ended(1);
  await send(other, "And here?");
  await stopWaiting({ client, follow }, other, 2);
  reply = healthyReply(" and the second.");
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect((await live.ended(2)).outcome).toBe("done");
  expect(JSON.stringify(live.view().messages.at(-1)!.parts)).toContain("and the second.");
});

test("five background summaries that are rate limited do not delay the threads' next answers", async () => {
  const isSummary = (body: string): boolean => body.includes("You summarize part of a conversation");
  let isTogether = false;
  const both = createGate();
  let arrived = 0;
  const { start, send, follow, client, bodies } = await startWith(
    (received) => {
      if (isSummary(received.text)) return limited;
      if (!isTogether) return healthyReply("Here.");
      arrived += 1;
      if (arrived === 2) both.open();
      const respond: Fault["respond"] = async (_call, res) => {
        await both.passed;
        res.writeHead(200, { "content-type": "text/event-stream" }).end(toSse([text("Here, too."), finish()]));
      };
      return { name: "waits for the other thread's call", respond };
    },
    { env: { STONECHAT_SUMMARY_MODELS: "compatible/a" } },
  );
  const threads = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const threadId = await start();
      const live = follow(threadId);
      for (const turn of [1, 2]) {
        await send(threadId, `The stone K-${turn} is heavy. ${"Granite is grey. ".repeat(30)}`);
        await live.ended(turn);
      }
      return { threadId, live };
    }),
  );
  for (const { threadId } of threads) {
    const params = { threadId };
    await client.summarize({ params, body: { id: mintId() } });
    await until("the summary is made without a model", async () => {
      const { summaries } = await client.listSummaries({ params });
      return summaries.every(({ status }) => status === "partial");
    });
  }
  // The sixth one is not sent: background calls to this model rest.
  expect(bodies().filter(isSummary)).toHaveLength(5);
  isTogether = true;
  // A call that a user asked for may always try, but only one of them while a breaker is open.
  const runs = threads.slice(0, 2).map(async ({ threadId, live }) => {
    await send(threadId, "And now?");
    return live.ended(3);
  });
  expect(await Promise.all(runs)).toMatchObject([{ outcome: "done" }, { outcome: "done" }]);
  for (const { live } of threads.slice(0, 2)) {
    const parts = live.view().messages.at(-1)?.parts ?? [];
    expect(textOf(parts)).toBe("Here, too.");
    expect(parts.filter(({ kind }) => kind === "notice")).toEqual([]);
  }
});

test("another model of the provider answers while one is rate limited", async () => {
  const { start, send, follow, bodies, client } = await startWith(({ model }) =>
    model === "a" ? limited : healthyReply("Here."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "One.");
  await live.ended(1);
  await send(threadId, "Two.");
  await stopWaiting({ client, follow }, threadId, 2);
  const asked = bodies().length;
  expect(asked).toBe(5);
  await send(threadId, "Three.", { model: "compatible/b" });
  expect((await live.ended(3)).outcome).toBe("done");
  expect(bodies()).toHaveLength(asked + 1);
});

test("a user can stop an answer that is waiting for a model to load", async () => {
  const loading: RecordedReply = { status: 503, body: JSON.stringify({ error: { message: "Loading model" } }) };
  const { start, send, follow, client } = await startWith(() => loading);
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Hello.");
  const waiting = await live.until(({ run }) => run?.waitingFor !== undefined);
  expect(waiting.run?.waitingFor).toMatch(/is loading the model…$/);
  const stored = await client.getThread({ params: { threadId } });
  expect(stored.run?.waitingFor).toBe(waiting.run?.waitingFor);
  await client.stopRun({ params: { threadId }, body: { id: mintId() } });
  const ended = await live.ended(1);
  expect(ended).toMatchObject({ outcome: "stopped" });
  expect(ended.waitingFor).toBeUndefined();
});

test("a tool call that was cut off is never run, even if its arguments could be completed", async () => {
  const cut = chunk({
    tool_calls: [
      {
        index: 0,
        id: "c1",
        type: "function",
        function: {
          name: "working_memory",
          arguments: '{"changes":[{"field":"notes","op":"append","reason":"asked","value":"Is not to be g',
        },
      },
    ],
  });
  const { start, send, follow, client, bodies } = await startWith(({ index }) =>
    index === 0 ? { body: toSse([cut, finish("length")]) } : healthyReply("I will try again."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Remember: the stone is not to be given away.");
  expect((await live.ended(1)).outcome).toBe("done");
  const tool = live
    .view()
    .messages.at(-1)
    ?.parts.find(({ kind }) => kind === "tool");
  expect(tool).toMatchObject({ state: "error", errorText: expect.stringContaining("cut off by the output limit") });
  expect(JSON.stringify(await client.getMemory({}))).not.toContain("Is not to be g");
  expect(bodies()[1]).toContain("Call the tool again with shorter arguments.");
});

test("the control: the same complete call is run", async () => {
  const whole = call(0, "c1", "now", "{}");
  const { start, send, follow } = await startWith(({ index }) =>
    index === 0 ? { body: toSse([whole, finish("tool_calls")]) } : healthyReply("Done."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "What time is it?");
  await live.ended(1);
  expect(live.view().messages.at(-1)?.parts).toContainEqual(expect.objectContaining({ kind: "tool", state: "ok" }));
});

test("an answer whose connection is reset after its finish reason is complete", async () => {
  const shown = createGate();
  const { start, send, follow, bodies } = await startWith(() => ({
    name: "reset after the end",
    respond: async (_call, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write([text("All of it."), finish()].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
      await shown.passed;
      res.socket?.resetAndDestroy();
    },
  }));
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Say it.");
  await live.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []) === "All of it.");
  shown.open();
  expect(await live.ended(1)).toMatchObject({
    outcome: "done",
    reason: null,
    usage: { inputTokens: 12, estimated: false },
  });
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("All of it.");
  expect(bodies()).toHaveLength(1);
});

test("a tool call that the content filter stopped is not run", async () => {
  const { start, send, follow, bodies } = await startWith(() => ({
    body: toSse([call(0, "c1", "now", "{}"), finish("content_filter")]),
  }));
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "What time is it?");
  expect((await live.ended(1)).outcome).toBe("done");
  const { parts } = live.view().messages.at(-1)!;
  expect(parts).toContainEqual(
    expect.objectContaining({ kind: "tool", state: "cancelled", errorText: expect.stringContaining("content filter") }),
  );
  expect(parts).toContainEqual(expect.objectContaining({ kind: "notice", code: "content-filter" }));
  expect(bodies()).toHaveLength(1);
});

test("token counts that are sent as strings are counted", async () => {
  const figures = { prompt_tokens: "1200", completion_tokens: "34", prompt_tokens_details: { cached_tokens: "200" } };
  const { start, send, follow } = await startWith(() => ({ body: toSse([text("Yes."), finish("stop", figures)]) }));
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Well?");
  expect((await live.ended(1)).usage).toMatchObject({
    inputTokens: 1200,
    outputTokens: 34,
    cacheReadTokens: 200,
    estimated: false,
  });
});
