import { expect, onTestFinished, test } from "vitest";
import { finish, text, toSse } from "../support/chat-wire.ts";
import { createGate, mintId } from "../support/instance.ts";
import { createProviderServer } from "../support/provider-server.ts";
import { describeOnBoth, type Start } from "./settings/on-both.ts";

const model = "openrouter/openai/gpt-5-mini";
/** 16,000 tokens of answer at $2 a million. */
const usage = { prompt_tokens: 400, completion_tokens: 16_000, total_tokens: 16_400 };
const CALL_USD = 0.0321;
const THREADS = 8;

/** A provider that responds only after all possible calls have arrived. */
async function startProvider() {
  const opened = createGate();
  let answers = 0;
  const provider = await createProviderServer({
    next: ({ path }) => {
      if (!path.endsWith("/chat/completions")) return { status: 404, body: "" };
      answers += 1;
      return {
        name: "waits",
        respond: async (_, response) => {
          await opened.passed;
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(toSse([text("An answer."), finish("stop", usage)]));
        },
      };
    },
  });
  onTestFinished(provider.close);
  return { url: provider.url, answers: () => answers, open: opened.open };
}

async function burst(start: Start, nodes: 1 | 2, limitUsd: number | null) {
  const provider = await startProvider();
  const env = {
    OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef",
    OPENROUTER_BASE_URL: provider.url,
    STONECHAT_MODEL: model,
    STONECHAT_FALLBACKS: "",
  };
  const first = await start({ env });
  const all = nodes === 2 ? [first, await start({ env }, first.databaseUrl)] : [first];
  if (limitUsd !== null) await first.client.setBudget({ body: { id: mintId(), scope: "day", limitUsd } });
  const lives = await Promise.all(
    Array.from({ length: THREADS }, async (_, index) => {
      const node = all[index % all.length] ?? first;
      const threadId = await node.start();
      return { node, threadId, live: node.follow(threadId) };
    }),
  );
  await Promise.all(lives.map(({ node, threadId }) => node.send(threadId, "Write at length.")));
  // Each run is refused, or has its call at the provider.
  const refused = () =>
    lives.filter(({ live }) =>
      live.rows.some(({ event }) => event.type === "run-ended" && event.run.outcome === "failed"),
    );
  await expect.poll(() => provider.answers() + refused().length, { timeout: 60_000 }).toBe(THREADS);
  const made = provider.answers();
  provider.open();
  const ends = await Promise.all(lives.map(({ live }) => live.ended()));
  const { total } = await first.client.getCosts({ query: { by: "model" } });
  return { made, refused: refused().length, ends, spentUsd: total.costUsd, first };
}

describeOnBoth("a burst of parallel calls at a budget's limit", (start, kind) => {
  const nodes = kind === "postgres" ? 2 : 1;

  test("is exceeded by one call at most", async () => {
    const limitUsd = 2.2 * CALL_USD;
    const { made, refused, ends, spentUsd, first } = await burst(start, nodes, limitUsd);
    expect(made).toBeGreaterThanOrEqual(2);
    expect(made).toBeLessThanOrEqual(3);
    expect(refused).toBe(THREADS - made);
    expect(spentUsd).toBeLessThanOrEqual(limitUsd + CALL_USD);
    expect(ends.filter(({ outcome }) => outcome === "done")).toHaveLength(made);
    const { reason } = ends.find(({ outcome }) => outcome === "failed") ?? {};
    expect(reason).toMatchObject({ code: "budget", text: expect.stringContaining("reserved for running calls") });
    // The reservations are released: the rest of the budget can be spent.
    expect((await first.client.getBudgets({ query: {} })).budgets[0]?.spentUsd).toBeCloseTo(made * CALL_USD, 6);
  });

  test("control: without a budget all of them are made", async () => {
    expect(await burst(start, nodes, null)).toMatchObject({ made: THREADS, refused: 0 });
  });
});
