import { expect, test } from "vitest";
import { z } from "zod";
import type { Answers } from "../../protocol/question.ts";
import type { PartOf } from "../../protocol/parts.ts";
import { defineTool } from "../../server/tools/tool.ts";
import { call, mintId, say, startInstance, type Follower, type Instance } from "../support/instance.ts";

const toolParts = (live: Follower): PartOf<"tool">[] =>
  live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));
const asking = (live: Follower) => toolParts(live).find(({ state }) => state === "asking");
const waits = (live: Follower) => live.until(({ run }) => run?.state === "waiting");
const answer = ({ client }: Pick<Instance, "client">, threadId: string, live: Follower, answers: Answers | null) =>
  client.answerQuestion({
    params: { threadId },
    body: { id: mintId(), partId: asking(live)?.id ?? "", answers: answers as never },
  });

/** A page that the prompt has read, so that the run is untrusted. */
const page = defineTool({
  name: "page",
  description: "for a test",
  input: z.object({ url: z.string() }),
  repeat: "pure",
  effects: ["read", "egress"],
  untrusted: () => ["evil.example"],
  sends: ({ url }) => ({ urls: [url] }),
  limits: { timeoutMs: 5000 },
  execute: async () => ({ output: "A page." }),
});

/** An instance whose model makes these calls, one step each, then answers. */
const startWith = async (steps: readonly (readonly [string, object])[]) => {
  const prompts: string[] = [];
  const instance = await startInstance({
    tools: [page],
    script: (request) => {
      prompts.push(JSON.stringify(request.messages));
      const step = steps[request.messages.filter(({ role }) => role === "tool").length];
      return step ? call({ name: step[0], input: JSON.stringify(step[1]) }) : say("done");
    },
  });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "go");
  await waits(live);
  return { ...instance, prompts, threadId, live };
};

const form = {
  question: "Where should it go?",
  fields: [
    { name: "city", label: "City", type: "choice", options: ["Bern", "Basel"], required: true },
    { name: "guests", label: "Guests", type: "number" },
    { name: "day", label: "Day", type: "date" },
    { name: "extras", label: "Extras", type: "choices", options: ["Lunch", "Tour"] },
    { name: "indoors", label: "Indoors", type: "yes_no" },
    { name: "note", label: "Note", type: "text" },
  ],
};

test("a question waits for the user, and the answer goes to the model as the result of the call", async () => {
  const { live, threadId, prompts, ...instance } = await startWith([
    ["ask_user", { question: "Which colour?", options: ["Red", "Green"] }],
  ]);
  expect(live.view().thread?.status).toBe("waiting");
  expect(asking(live)).toMatchObject({ title: "Which colour?", asks: { code: "question", text: "" } });
  const before = prompts.length;
  await answer(instance, threadId, live, { answer: "Neither: blue" });
  expect((await live.ended()).outcome).toBe("done");
  expect(prompts).toHaveLength(before + 1);
  expect(prompts.at(-1)).toContain(String.raw`{\"answers\":{\"answer\":\"Neither: blue\"}}`);
  const [part] = toolParts(live);
  expect(part).toMatchObject({ state: "ok", output: { answers: { answer: "Neither: blue" } } });
  expect(part?.untrusted ?? []).toEqual([]);
  expect(live.view().thread?.status).toBe("idle");
});

test("a form takes all kinds of fields, and rejects answers that do not fit them", async () => {
  const { live, threadId, ...instance } = await startWith([["ask_user", form]]);
  const good = { city: "Bern", guests: 4, day: "2026-12-24", extras: ["Lunch", "A walk"], indoors: false, note: "Hi" };
  const bad: readonly Record<string, unknown>[] = [
    {},
    { guests: 4 },
    { ...good, city: "" },
    { ...good, guests: "four" },
    { ...good, day: "2026-02-30" },
    { ...good, extras: "Lunch" },
    { ...good, extras: ["Lunch", "Lunch"] },
    { ...good, indoors: "no" },
    { ...good, note: "x".repeat(4001) },
    { ...good, unknown: "x" },
  ];
  for (const answers of bad) {
    await expect(answer(instance, threadId, live, answers as Answers), JSON.stringify(answers)).rejects.toMatchObject({
      code: "invalid",
    });
  }
  await answer(instance, threadId, live, good);
  await live.ended();
  expect(toolParts(live)[0]?.output).toEqual({ answers: good });
});

test("one answer wins, the same request again is accepted, and a question cannot be approved", async () => {
  const { live, threadId, client } = await startWith([["ask_user", { question: "Go on?" }]]);
  const partId = asking(live)?.id ?? "";
  const approve = client.decideCall({ params: { threadId }, body: { id: mintId(), partId, decision: "once" } });
  await expect(approve).rejects.toMatchObject({ code: "conflict" });
  const send = (id: string, text: string) =>
    client.answerQuestion({ params: { threadId }, body: { id, partId, answers: { answer: text } } });
  const tries = await Promise.allSettled([send("a", "first"), send("b", "second"), send("a", "first")]);
  const ids = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value.id] : []));
  expect(new Set(ids).size).toBe(1);
  await live.ended();
  expect(toolParts(live)[0]?.output).toEqual({ answers: { answer: ids[0] === "a" ? "first" : "second" } });
  await expect(send("c", "late")).rejects.toMatchObject({ code: "conflict" });
});

test("a question can be skipped, and a stop cancels it", async () => {
  const skipped = await startWith([["ask_user", { question: "Which one?" }]]);
  await answer(skipped, skipped.threadId, skipped.live, null);
  expect((await skipped.live.ended()).outcome).toBe("done");
  expect(skipped.prompts.at(-1)).toContain(String.raw`{\"skipped\":true}`);
  const stopped = await startWith([["ask_user", { question: "Which one?" }]]);
  await stopped.client.stopRun({ params: { threadId: stopped.threadId }, body: { id: mintId() } });
  expect((await stopped.live.ended()).outcome).toBe("stopped");
  expect(toolParts(stopped.live)[0]).toMatchObject({ state: "cancelled" });
});

test("a question through use_tool is asked and answered like a direct one", async () => {
  const { live, threadId, ...instance } = await startWith([["use_tool", { name: "ask_user", input: form }]]);
  await expect(answer(instance, threadId, live, { guests: 1 })).rejects.toMatchObject({ code: "invalid" });
  await answer(instance, threadId, live, { city: "Bern" });
  await live.ended();
  expect(toolParts(live)[0]).toMatchObject({ state: "ok", output: { answers: { city: "Bern" } } });
});

test("a form with too many fields, repeated names or missing options is an error for the model", async () => {
  const field = (name: string, more: object = {}) => ({ name, label: name, type: "text", ...more });
  const wrong: readonly object[] = [
    { question: "q", fields: Array.from({ length: 9 }, (_, n) => field(`f${n}`)) },
    { question: "q", fields: [field("a"), field("a")] },
    { question: "q", fields: [field("a", { type: "choice" })] },
    { question: "q", options: ["only one"] },
    { question: "q", options: ["a", "b"], fields: [field("a")] },
    { question: "x".repeat(2001) },
  ];
  const steps = [...wrong.map((input) => ["ask_user", input] as const), ["ask_user", { question: "ok?" }] as const];
  const { live } = await startWith(steps);
  expect(toolParts(live).map(({ state }) => state)).toEqual([...wrong.map(() => "error"), "asking"]);
});

test("after untrusted content the question says so; an address that the user typed needs no approval, an option does", async () => {
  const options = ["https://option.example/x", "none"];
  const { live, threadId, ...instance } = await startWith([
    ["page", { url: "https://evil.example/" }],
    ["ask_user", { question: "Which page?", options }],
    ["ask_user", { question: "Which page instead?", options }],
    ["page", { url: "https://typed.example/y" }],
    ["page", { url: "https://option.example/x" }],
  ]);
  expect(asking(live)?.asks?.text).toContain("evil.example");
  await answer(instance, threadId, live, { answer: "https://option.example/x" });
  await live.until(() => asking(live)?.title === "Which page instead?");
  await answer(instance, threadId, live, { answer: "see https://typed.example/y" });
  await live.until(() => asking(live)?.asks?.code === "composed-url");
  expect(toolParts(live).map(({ name, state }) => `${name} ${state}`)).toEqual([
    "page ok",
    "ask_user ok",
    "ask_user ok",
    "page ok",
    "page asking",
  ]);
  expect(toolParts(live)[1]?.untrusted).toEqual(["evil.example"]);
});
