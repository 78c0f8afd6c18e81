import { expect, onTestFinished, test } from "vitest";
import { mintId, startInstance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";
import { createProviderServer } from "../../support/provider-server.ts";

async function startLimited(env: Readonly<Record<string, string>>) {
  const provider = await createProviderServer({
    next: () => ({ status: 429, body: JSON.stringify({ error: { message: "Slow down." } }) }),
  });
  onTestFinished(provider.close);
  const instance = await startInstance({
    env: {
      STONECHAT_SCRIPTED: "0",
      STONECHAT_MODEL: "openrouter/openai/gpt-5-mini",
      OPENROUTER_API_KEY: "sk-or-v1-0123456789abcdef",
      OPENROUTER_BASE_URL: provider.url,
      STONECHAT_FALLBACKS: "none/none",
      STONECHAT_SUMMARY_MODELS: "none/none",
      ...env,
    },
  });
  return { ...instance, sent: () => provider.calls.filter(({ path }) => path.endsWith("/chat/completions")).length };
}

async function expectOnlySent(env: Readonly<Record<string, string>>): Promise<void> {
  const { client, start, send, follow, sent } = await startLimited(env);
  const threadId = await start();
  const params = { threadId };
  const live = follow(threadId);
  const codes: string[] = [];
  for (const [index, text] of ["One.", "Two.", "Three."].entries()) {
    if (index === 2) await client.setBudget({ body: { id: mintId(), scope: "day", limitUsd: 0.000_001 } });
    await send(threadId, text);
    if (index === 1) {
      // The second answer waits for the breaker of its model.
      await live.until(({ run }) => run?.retryAt !== undefined);
      await client.stopRun({ params, body: { id: mintId() } });
    }
    const { outcome, reason } = await live.ended(index + 1);
    codes.push(reason?.code ?? outcome ?? "");
  }
  expect(codes.slice(1)).toEqual(["stopped", "budget"]);
  expect(sent()).toBeGreaterThan(0);
  const { receipts } = await client.listReceipts({ params });
  expect(receipts).toHaveLength(sent());
  const { runs } = await client.listRuns({ params });
  const outcomes = await Promise.all(
    runs.map(async ({ id }) => (await client.getRun({ params: { threadId, runId: id } })).calls),
  );
  const unsent = outcomes.flat().filter(({ receiptId }) => receiptId === null);
  expect(unsent.map(({ reason }) => reason?.code)).toEqual(expect.arrayContaining(["resting", "budget"]));
}

test("a call that a circuit breaker or a budget held back has no receipt, on SQLite", () => expectOnlySent({}));

test.skipIf(!findPostgres())(
  "a call that a circuit breaker or a budget held back has no receipt, on PostgreSQL",
  async () => {
    await expectOnlySent({ STONECHAT_DATABASE_URL: await createDatabase() });
  },
);
