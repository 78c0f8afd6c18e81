import { expect, onTestFinished, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { healthyReply, text } from "../support/chat-wire.ts";
import { mintId, startInstance } from "../support/instance.ts";
import { createProviderServer, type Fault, type RecordedReply } from "../support/provider-server.ts";

const startWith = async (next: (index: number) => Fault | RecordedReply) => {
  let index = -1;
  const provider = await createProviderServer({
    next: ({ path }) => (path.endsWith("/models") ? { status: 404, body: "" } : next((index += 1))),
  });
  onTestFinished(provider.close);
  const env = {
    STONECHAT_SCRIPTED: "0",
    STONECHAT_MODEL: "compatible/a",
    STONECHAT_COMPATIBLE_URL: provider.url,
    STONECHAT_COMPATIBLE_MODELS: "a",
    STONECHAT_FALLBACKS: "none/none",
    STONECHAT_SUMMARY_MODELS: "none/none",
  };
  return { ...(await startInstance({ env })), env, calls: () => index + 1 };
};

const limited = (seconds: number): RecordedReply => ({
  status: 429,
  headers: { "retry-after": String(seconds) },
  body: JSON.stringify({ error: { message: "Slow down." } }),
});

test("an answer waits visibly for a rate limit and continues automatically, also after a restart of the server", async () => {
  const first = await startWith((index) => (index === 0 ? limited(5) : healthyReply("Here.")));
  const threadId = await first.start();
  const sentAt = Date.now();
  await first.send(threadId, "Hello.");
  const waiting = await first.follow(threadId).until(({ run }) => run?.retryAt !== undefined);
  expect(waiting.run).toMatchObject({ state: "running", waitingFor: "Waiting for a." });
  expect(waiting.run?.retryAt).toBeGreaterThanOrEqual(sentAt + 5_000);
  const dataDir = await first.leave();
  const second = await startInstance({ env: first.env, dataDir });
  const live = second.follow(threadId);
  const run = await live.ended();
  expect(run).toMatchObject({ outcome: "done" });
  expect(run).not.toHaveProperty("retryAt");
  expect(run.endedAt).toBeGreaterThanOrEqual(sentAt + 5_000);
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("Here.");
  expect(first.calls()).toBe(2);
});

test("a longer pause ends the answer with the time at which it can be tried again", async () => {
  const { start, send, follow, calls } = await startWith(() => limited(300));
  const threadId = await start();
  const sentAt = Date.now();
  await send(threadId, "Hello.");
  const run = await follow(threadId).ended();
  expect(run).toMatchObject({ outcome: "failed", reason: { code: "rate-limited" } });
  expect(run.reason?.retryAt).toBeGreaterThanOrEqual(sentAt + 300_000);
  expect(calls()).toBe(1);
});

test("the text of a cut answer stays for Continue when the model is paused before the next attempt", async () => {
  const cut = { body: `data: ${JSON.stringify(text("The first half"))}\n\n` };
  const { start, send, follow, client } = await startWith((index) =>
    index === 0 ? cut : index === 1 ? limited(300) : healthyReply("and the second."),
  );
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "Both halves, please.");
  expect(await live.ended(1)).toMatchObject({ outcome: "failed", reason: { code: "rate-limited" } });
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("The first half");
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect((await live.ended(2)).outcome).toBe("done");
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("The first half and the second.");
});
