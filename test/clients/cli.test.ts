import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { ModelRequest } from "../../protocol/model.ts";
import { defineTool } from "../../server/tools/tool.ts";
import { runCli as run } from "../support/clients/cli.ts";
import { call, createGate, say, startInstance, type Instance } from "../support/instance.ts";

const at = ({ url }: Pick<Instance, "url">) => ({ STONECHAT_URL: url });
const lastQuestion = ({ messages }: ModelRequest): string =>
  JSON.stringify(messages.findLast(({ role }) => role === "user"));
const toLines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const remove = defineTool({
  name: "remove",
  description: "for a test",
  input: z.object({ q: z.string() }),
  repeat: "keyed",
  effects: ["write", "destructive"],
  limits: { timeoutMs: 5000 },
  describe: ({ q }) => `Remove ${q}`,
  execute: async () => ({ output: "removed" }),
});
const afterTool = ({ messages }: ModelRequest) => messages.some(({ role }) => role === "tool");

test("ask prints one answer to a question, a pipe and a file, continues a thread, and gives JSON lines", async () => {
  const questions: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      questions.push(JSON.stringify(request.messages));
      return say("An answer \u001b]0;title\u0007with **marks**.");
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "stonechat-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "notes.txt"), "Notes about larks.");

  const first = await run(["ask", "What", "is this?", "--file", join(folder, "notes.txt")], at(instance)).finish(
    "Piped.",
  );
  expect(first).toMatchObject({ code: 0, err: "", out: "An answer ]0;titlewith **marks**.\n" });
  expect(questions[0]).toContain("What is this?\\n\\nPiped.");
  expect(questions[0]).toContain("Notes about larks.");

  const second = await run(["ask", "And then?", "--continue", "--json"], at(instance)).finish();
  const lines = toLines(second.out);
  expect(second.code).toBe(0);
  expect(lines.map(({ type }) => type)).toEqual(["thread", "text", "end"]);
  expect(lines.at(-1)).toMatchObject({ outcome: "done", model: "scripted/script" });
  const { threads } = await instance.client.listThreads({});
  expect(threads).toHaveLength(1);
  expect(threads[0]).toMatchObject({ id: lines[0]?.["threadId"], messageCount: 4 });

  const list = await run(["threads"], at(instance)).finish();
  expect(list.out).toMatch(new RegExp(`^${threads[0]?.id}  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d  What is this\\?`));
  const shown = await run(["threads", "show", threads[0]?.id ?? ""], at(instance)).finish();
  expect(shown.out).toMatch(/> What is this\?[^]*An answer [^]*> And then\?/);
  const found = await run(["threads", "search", "then", "--json"], at(instance)).finish();
  expect(toLines(found.out)[0]).toMatchObject({ kind: "said", thread: { id: threads[0]?.id } });
});

test("import reads a file, waits, and prints the report", async () => {
  const instance = await startInstance();
  const file = join(mkdtempSync(join(tmpdir(), "stonechat-cli-")), "talk.json");
  writeFileSync(file, JSON.stringify([{ role: "user", content: "from a file" }, 7]));
  const { code, out } = await run(["import", file], at(instance)).finish();
  expect(code).toBe(0);
  const [thread] = (await instance.client.listThreads({})).threads;
  expect(out).toContain(`thread ${thread?.id}  talk\n`);
  expect(out).toMatch(/note {2}talk\.json: item 2 is not a conversation \(a number\)\./);
  expect(out).toContain("Imported 1 threads with 1 messages, 0 projects, 0 files. 0 were there already, 1 notes.");
  expect((await run(["import", "/nowhere.zip"], at(instance)).finish()).code).toBe(2);
  writeFileSync(file, "\0\0");
  const failed = await run(["import", file], at(instance)).finish();
  expect(failed).toMatchObject({ code: 1, out: expect.stringContaining("neither an archive") });
});

test("ask ends with a code: wrong usage, no server, no key, a missing scope, a failure, and a tool that needs approval", async () => {
  const instance = await startInstance({
    env: { STONECHAT_TOKEN: "a-token-for-tests-only" },
    tools: [remove, { ...remove, name: "look", effects: ["read"], describe: () => "Look up x" }],
    script: (request) => {
      if (afterTool(request)) return say("Found.");
      if (lastQuestion(request).includes("look it up")) return call({ name: "look", input: '{"q":"x"}' });
      return lastQuestion(request).includes("remove it")
        ? call({ name: "remove", input: '{"q":"all"}' })
        : [{ type: "failed", failure: { code: "bad-request", fault: "request", text: "No model wants this." } }];
    },
  });
  const create = async (id: string, scopes: readonly string[]): Promise<string> => {
    const response = await fetch(`${instance.url}/api/keys`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer a-token-for-tests-only" },
      body: JSON.stringify({ id, name: id, scopes }),
    });
    return ((await response.json()) as { token: string }).token;
  };
  const key = await create("both", ["read", "chat"]);

  expect(await run(["ask"], at(instance)).finish()).toMatchObject({
    code: 2,
    err: expect.stringContaining("Write a question") as string,
  });
  expect(await run(["ask", "x", "--unknown"], at(instance)).finish()).toMatchObject({ code: 2 });
  expect(await run(["ask", "x", "--url", "http://127.0.0.1:1"]).finish()).toMatchObject({
    code: 1,
    err: expect.stringContaining("No Stonechat server answers at http://127.0.0.1:1.") as string,
  });
  expect(await run(["ask", "x"], at(instance)).finish()).toMatchObject({
    code: 1,
    err: expect.stringContaining("--key or STONECHAT_KEY") as string,
  });
  const reader = { ...at(instance), STONECHAT_KEY: await create("reader", ["read"]) };
  expect(await run(["ask", "x"], reader).finish()).toMatchObject({
    code: 1,
    err: expect.stringContaining('lacks the scope "chat"') as string,
  });
  expect(await run(["ask", "x", "--key", key], at(instance)).finish()).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("No model wants this.") as string,
  });
  const tool = await run(["ask", "look it up", "--key", key], at(instance)).finish();
  expect(tool).toMatchObject({ code: 0, out: "Found.\n", err: expect.stringContaining("✓ look: Look up x") as string });
  const waiting = await run(["ask", "remove it", "--key", key], at(instance)).finish();
  expect(waiting).toMatchObject({ code: 4, err: expect.stringContaining("stonechat chat ") as string });
});

test("chat streams, asks for approval, attaches files, and resumes an answer that it left", async () => {
  const gate = createGate();
  onTestFinished(gate.open);
  const questions: string[] = [];
  const instance = await startInstance({
    tools: [remove],
    script: async function* (request) {
      const question = lastQuestion(request);
      questions.push(JSON.stringify(request.messages));
      if (question.includes("remove it") && !afterTool(request)) {
        yield* call({ name: "remove", input: '{"q":"all"}' });
        return;
      }
      yield { type: "start", key: "t", kind: "text" };
      yield { type: "delta", key: "t", text: "First half, " };
      if (question.includes("slowly")) await gate.passed;
      yield { type: "delta", key: "t", text: "second half." };
      yield { type: "end", key: "t" };
      yield say("").at(-1)!;
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "stonechat-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "notes.txt"), "Notes about larks.");

  const chat = run(["chat"], at(instance));
  await chat.until("err", "Thread ");
  chat.type(`/file ${join(folder, "notes.txt")}`);
  chat.type("Please remove it");
  await chat.until("err", "remove: Remove all");
  chat.type("maybe");
  chat.type("y");
  await chat.until("err", "✓ remove: Remove all");
  await chat.until("out", "First half, second half.");
  chat.type("Now slowly");
  await chat.until("out", "First half, second half.\nFirst half, ");
  chat.child.kill("SIGKILL");
  await chat.ended;
  expect(questions[0]).toContain("Notes about larks.");

  const [thread] = (await instance.client.listThreads({})).threads;
  const resumed = run(["chat", thread?.id ?? ""], at(instance));
  await resumed.until("err", "> Now slowly");
  await resumed.until("out", "First half, ");
  gate.open();
  await resumed.until("out", "First half, second half.");
  resumed.type("/exit");
  expect(await resumed.ended).toMatchObject({ code: 0 });
});

test("chat asks the questions of the model, and a wrong answer again", async () => {
  const form = {
    question: "Where to?",
    fields: [
      { name: "city", label: "City", type: "choice", options: ["Bern", "Basel"], required: true },
      { name: "guests", label: "Guests", type: "number" },
    ],
  };
  const results: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      results.push(JSON.stringify(request.messages.filter(({ role }) => role === "tool")));
      return afterTool(request) ? say("Booked.") : call({ name: "ask_user", input: JSON.stringify(form) });
    },
  });
  const chat = run(["chat", "--json"], at(instance));
  await chat.until("out", '"thread"');
  chat.type("Book a table");
  await chat.until("out", '"type":"question"');
  chat.type("2");
  chat.type("many");
  chat.type("2");
  chat.type("3");
  await chat.until("out", '"outcome":"done"');
  expect(await chat.finish()).toMatchObject({ code: 0 });
  expect(results[1]).toContain('\\"city\\":\\"Basel\\"');
  expect(results[1]).toContain('\\"guests\\":3');
});

test("the first Ctrl+C stops the answer and keeps its text; the second exits", async () => {
  const instance = await startInstance({
    script: async function* (_request, _index, signal) {
      yield { type: "start", key: "t", kind: "text" };
      yield { type: "delta", key: "t", text: "Only the start" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    },
  });
  const asked = run(["ask", "Tell me everything"], at(instance));
  asked.child.stdin.end();
  await asked.until("out", "Only the start");
  asked.child.kill("SIGINT");
  expect(await asked.ended).toMatchObject({ code: 130, out: "Only the start\n", err: "Stopped.\n" });

  const chat = run(["chat", "--continue", "--json"], at(instance));
  await chat.until("out", '"thread"');
  chat.type("Once more");
  await chat.until("out", "Only the start");
  chat.child.kill("SIGINT");
  await chat.until("out", '"outcome":"stopped"');
  chat.child.kill("SIGINT");
  expect(await chat.ended).toMatchObject({ code: 0 });
});
