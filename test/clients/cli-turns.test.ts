import { once } from "node:events";
import { createServer, request as send, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../server/tools/tool.ts";
import { runCli } from "../support/clients/cli.ts";
import { call, createGate, say, startInstance, type Instance } from "../support/instance.ts";

const at = ({ url }: Pick<Instance, "url">) => ({ STONECHAT_URL: url });

type Hooks = {
  /** The request is passed on when this resolves. */
  readonly before?: (request: IncomingMessage) => Promise<void> | undefined;
  /** The request is passed on, but its response is lost. */
  readonly losesResponse?: (request: IncomingMessage) => boolean;
};

/** A proxy in front of an instance. */
async function startProxy({ url }: Instance, { before, losesResponse }: Hooks): Promise<{ readonly url: string }> {
  const proxy = createServer((request, response) => {
    void (async () => {
      await before?.(request);
      const { method, headers, url: path = "/" } = request;
      const { host: _, ...rest } = headers;
      const onward = send(new URL(path, url), { method, headers: rest });
      onward.on("error", () => response.destroy());
      response.on("close", () => onward.destroy());
      request.pipe(onward);
      const [answer] = (await once(onward, "response")) as [IncomingMessage];
      if (losesResponse?.(request)) return void response.destroy();
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    })().catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

const isMessage = ({ method, url = "" }: IncomingMessage): boolean =>
  method === "POST" && /^\/api\/threads\/[\w-]+\/messages$/.test(url);

test("Ctrl+C on a queued message withdraws it, and the answer before it continues", async () => {
  const gate = createGate();
  const instance = await startInstance({
    script: async function* () {
      await gate.passed;
      yield* say("first");
    } as never,
  });
  const readers = async (): Promise<number> => {
    const metrics = await (await fetch(`${instance.url}/metrics`)).text();
    return Number(/^stonechat_log_readers (\d+)$/m.exec(metrics)?.[1]);
  };
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "one");
  await live.until(({ run }) => run?.state === "running");
  const before = await readers();
  const asked = runCli(["ask", "two", "--thread", threadId], at(instance));
  asked.child.stdin.end();
  await live.until(({ queue }) => queue.length === 1);
  await expect.poll(readers).toBe(before + 1);
  asked.child.kill("SIGINT");
  expect(await asked.ended).toMatchObject({ code: 130, err: expect.stringContaining("withdrawn") as string });
  gate.open();
  expect(await live.ended()).toMatchObject({ outcome: "done" });
  expect(live.view()).toMatchObject({ queue: [], messages: { length: 2 } });
});

test("a decision that was made elsewhere in the meantime is not an error", async () => {
  const remove = defineTool({
    name: "remove",
    description: "for a test",
    input: z.object({}),
    repeat: "keyed",
    effects: ["write", "destructive"],
    limits: { timeoutMs: 5000 },
    describe: () => "Remove all",
    execute: async () => ({ output: "removed" }),
  });
  const instance = await startInstance({
    tools: [remove],
    script: ({ messages }) => (messages.at(-1)?.role === "tool" ? say("Gone.") : call({ name: "remove", input: "{}" })),
  });
  const chat = runCli(["chat"], at(instance));
  chat.type("Remove it");
  await chat.until("err", "remove: Remove all");
  const [thread] = (await instance.client.listThreads({})).threads;
  const params = { threadId: thread?.id ?? "" };
  const { messages } = await instance.client.getThread({ params });
  const partId = messages.at(-1)?.parts.find(({ kind }) => kind === "tool")?.id ?? "";
  await instance.client.decideCall({ params, body: { id: "d1", partId, decision: "once" } });
  chat.type("n");
  await chat.until("err", "decided elsewhere");
  await chat.until("out", "Gone.");
  chat.type("/exit");
  expect(await chat.ended).toMatchObject({ code: 0, err: expect.stringContaining("✓ remove") as string });
});

test("a call that asks after its approval, and twice, is asked each time", async () => {
  const book = defineTool({
    name: "book",
    description: "for a test",
    input: z.object({}),
    repeat: "keyed",
    effects: ["write", "destructive"],
    limits: { timeoutMs: 5000 },
    execute: async (_, { answered }) => {
      const count = (answered?.resume as number | undefined) ?? 0;
      if (count === 2) return { output: "booked" };
      return {
        output: null,
        asks: { question: { question: `Question ${count + 1}?` }, text: "book", resume: count + 1 },
      };
    },
  });
  const instance = await startInstance({
    tools: [book],
    script: ({ messages }) => (messages.at(-1)?.role === "tool" ? say("Booked.") : call({ name: "book", input: "{}" })),
  });
  const chat = runCli(["chat"], at(instance));
  chat.type("Book it");
  await chat.until("err", "book: ");
  chat.type("y");
  for (const count of [1, 2]) {
    await chat.until("err", `Question ${count}?`);
    chat.type(`answer ${count}`);
  }
  await chat.until("out", "Booked.");
  chat.type("/exit");
  expect(await chat.ended).toMatchObject({ code: 0 });
});

test("a message whose response was lost is sent again under its id, at once and when the user repeats it", async () => {
  const instance = await startInstance({ script: () => say("An answer.") });
  let lost = 0;
  let left = 1;
  const proxy = await startProxy(instance, {
    losesResponse: (request) => {
      if (!isMessage(request) || left === 0) return false;
      left -= 1;
      lost += 1;
      return true;
    },
  });
  const asked = await runCli(["ask", "Hello"], at(proxy)).finish();
  expect(asked).toMatchObject({ err: "", code: 0, out: "An answer.\n" });
  left = 2;
  const chat = runCli(["chat"], at(proxy));
  chat.type("Hello again");
  await chat.until("err", "No Stonechat server answers");
  chat.type("Hello again");
  await chat.until("out", "An answer.");
  chat.type("/exit");
  expect(await chat.ended).toMatchObject({ code: 0 });
  const { threads } = await instance.client.listThreads({});
  expect(threads.map(({ messageCount }) => messageCount)).toEqual([2, 2]);
  expect(lost).toBe(3);
});

test("an answer that ended before it could be followed is shown, not that of a later message", async () => {
  const [gate, hold] = [createGate(), createGate()];
  const instance = await startInstance({
    script: async function* (_: unknown, index: number, signal: AbortSignal) {
      if (index > 0) await Promise.race([hold.passed, once(signal, "abort")]);
      yield* say(index === 0 ? "first" : "second");
    } as never,
  });
  let isSent = false;
  const proxy = await startProxy(instance, {
    before: (request) => {
      isSent ||= isMessage(request);
      return isSent && request.method === "GET" ? gate.passed : undefined;
    },
  });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  const asked = runCli(["ask", "one", "--thread", threadId], at(proxy)).finish();
  await live.ended();
  await instance.send(threadId, "two");
  await live.until(({ run }) => run?.state === "running");
  gate.open();
  expect(await asked).toMatchObject({ code: 0, out: "first\n" });
  hold.open();
});
