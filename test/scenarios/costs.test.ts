import { expect, onTestFinished, test } from "vitest";
import type { PartOf } from "../../protocol/parts.ts";
import { finish, healthyReply, text, toSse, call as toolCall } from "../support/chat-wire.ts";
import { mintId, startInstance, type Follower, type Instance } from "../support/instance.ts";
import { createProviderServer, type RecordedReply } from "../support/provider-server.ts";

const model = "openrouter/openai/gpt-5-mini";

/** A million tokens in at $0.25. */
const usage = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 };
const dear: RecordedReply = { body: toSse([text("An answer."), finish("stop", usage)]) };
const dearCall: RecordedReply = { body: toSse([toolCall(0, "c1", "now", "{}"), finish("tool_calls", usage)]) };
const search: RecordedReply = {
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    choices: [
      {
        message: {
          annotations: [
            {
              type: "url_citation",
              url_citation: { url: "https://a.example/", title: "Granite", content: "Granite is hard." },
            },
          ],
        },
      },
    ],
    usage: { cost: 0.0625 },
  }),
};

/** An instance whose answers come from a provider on loopback, through its own package. */
const startPriced = async (reply: (index: number) => RecordedReply, env: Readonly<Record<string, string>> = {}) => {
  let answers = 0;
  const provider = await createProviderServer({
    next: ({ path, body }) => {
      if (!path.endsWith("/chat/completions")) return { status: 404, body: "" };
      if ((body as { plugins?: unknown }).plugins) return search;
      answers += 1;
      return reply(answers);
    },
  });
  onTestFinished(provider.close);
  const instance = await startInstance({
    env: {
      OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef",
      OPENROUTER_BASE_URL: provider.url,
      STONECHAT_MODEL: model,
      STONECHAT_FALLBACKS: "",
      STONECHAT_ALLOW_PRIVATE: "search=127.0.0.1",
      STONECHAT_SEARCH: "openrouter",
      ...env,
    },
  });
  return { ...instance, answers: () => answers };
};
const setBudget = ({ client }: Pick<Instance, "client">, scope: "day" | "month" | "thread", limitUsd: number | null) =>
  client.setBudget({ body: { id: mintId(), scope, limitUsd } });
const toolParts = (live: Follower): PartOf<"tool">[] =>
  live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));

test("every call is in the ledger, by day, model, thread and purpose, and stays when its thread is deleted", async () => {
  const { start, send, follow, client } = await startPriced(() => dear);
  const [one, two] = [await start(), await start()];
  for (const threadId of [one, two]) {
    const live = follow(threadId);
    await send(threadId, "hello");
    expect((await live.ended()).costUsd).toBe(0.25);
  }
  const ask = async (by: "day" | "model" | "thread" | "purpose") => (await client.getCosts({ query: { by } })).rows;
  expect(await ask("model")).toMatchObject([{ key: model, label: "GPT-5 Mini", calls: 2, costUsd: 0.5, unpriced: 0 }]);
  expect(await ask("purpose")).toMatchObject([{ key: "answer", inputTokens: 2_000_000 }]);
  expect((await ask("thread")).map(({ key, label }) => [key, label]).toSorted()).toEqual(
    [one, two].toSorted().map((id) => [id, "hello"]),
  );
  expect((await client.getCosts({ query: { by: "model", threadId: one } })).total).toMatchObject({
    costUsd: 0.25,
    calls: 1,
  });
  await client.deleteThread({ params: { threadId: one } });
  const { rows, total } = await client.getCosts({ query: { by: "day" } });
  expect(rows).toMatchObject([{ key: new Date().toISOString().slice(0, 10), costUsd: 0.5 }]);
  expect(total).toMatchObject({ calls: 2, costUsd: 0.5 });
  expect(await ask("thread")).toContainEqual(
    expect.objectContaining({ key: "", label: "Deleted threads", costUsd: 0.25 }),
  );
  await expect(client.getCosts({ query: { threadId: one } })).rejects.toMatchObject({ status: 404 });
});

test("a call that would exceed a budget ends the run with the reason; it continues when the budget allows", async () => {
  const instance = await startPriced(() => dear);
  const { start, send, follow, client, answers } = instance;
  const threadId = await start();
  const live = follow(threadId);
  await setBudget(instance, "day", 0.25);
  await send(threadId, "first");
  expect((await live.ended(1)).outcome).toBe("done");
  await send(threadId, "second");
  const refused = await live.ended(2);
  expect(refused).toMatchObject({ outcome: "failed", reason: { code: "budget" }, costUsd: 0 });
  expect(refused.reason?.text).toContain("Your budget of $0.25 for today does not allow this call: $0.25 is spent");
  expect(answers()).toBe(1);
  const { calls } = await client.getRun({ params: { threadId, runId: refused.id } });
  expect(calls).toMatchObject([{ outcome: "refused", costUsd: 0, reason: { code: "budget" } }]);
  expect((await client.getBudgets({ query: { threadId } })).budgets).toEqual([
    { scope: "day", limitUsd: 0.25, spentUsd: 0.25, fixed: false },
  ]);
  await send(threadId, "third, for nothing", { model: "offline/stone" });
  expect((await live.ended(3)).outcome).toBe("done");
  await setBudget(instance, "day", 10);
  await send(threadId, "fourth");
  expect((await live.ended(4)).outcome).toBe("done");
  expect(live.view().messages.filter(({ role }) => role === "user")).toHaveLength(4);
});

test("results of a run are kept when a budget ends it", async () => {
  const instance = await startPriced((index) => (index === 1 ? dearCall : healthyReply("done")));
  const { start, send, follow, answers } = instance;
  await setBudget(instance, "thread", 0.25);
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "what time is it?");
  expect(await live.ended()).toMatchObject({ outcome: "failed", reason: { code: "budget" } });
  expect(toolParts(live)).toMatchObject([{ name: "now", state: "ok" }]);
  expect(answers()).toBe(1);
  const elsewhere = await start();
  const other = follow(elsewhere);
  await send(elsewhere, "hello");
  expect((await other.ended()).outcome).toBe("done");
});

test("the operator's budget cannot be raised, only lowered", async () => {
  const instance = await startPriced(() => dear, { STONECHAT_BUDGET_DAY_USD: "2", STONECHAT_BUDGET_MONTH_USD: "20" });
  await expect(setBudget(instance, "day", 3)).rejects.toMatchObject({
    status: 400,
    message: "The operator's limit is $2.00. Set yours to that or less.",
  });
  const { budgets } = await setBudget(instance, "day", 1);
  expect(budgets.map(({ scope, limitUsd, fixed }) => [scope, limitUsd, fixed])).toEqual([
    ["day", 1, false],
    ["month", 20, true],
  ]);
  expect((await setBudget(instance, "day", null)).budgets[0]).toMatchObject({ limitUsd: 2, fixed: true });
});

test("a paid search is in the ledger with the cost that the provider reports", async () => {
  const asking: RecordedReply = {
    body: toSse([toolCall(0, "c1", "search_web", '{"query":"granite"}'), finish("tool_calls", usage)]),
  };
  const { start, send, follow, client } = await startPriced((index) => (index === 1 ? asking : dear));
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "search the web for granite");
  await live.ended();
  expect(toolParts(live)).toMatchObject([{ name: "search_web", state: "ok" }]);
  expect((await client.getCosts({ query: { by: "purpose" } })).rows).toMatchObject([
    { key: "answer", calls: 2, costUsd: 0.5 },
    { key: "search", calls: 1, costUsd: 0.0625 },
  ]);
  const { rows } = await client.getCosts({ query: { by: "model", threadId } });
  expect(rows.map(({ label }) => label)).toEqual(["GPT-5 Mini", "Search: openrouter"]);
});
