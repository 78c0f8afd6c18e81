import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { isTerminal, type Part } from "../../protocol/parts.ts";
import { healthyCall, healthyReply } from "../support/chat-wire.ts";
import { faults, type NamedFault } from "../support/faults.ts";
import { createInstance } from "../support/instance.ts";
import { createProviderServer } from "../support/provider-server.ts";

/** Test cells that run at once. Each has a separate server, so that no breaker or database is shared. */
const AT_ONCE = 6;
const HEALTHY = "All is well again.";
const ATTEMPTS_PER_STEP = 5;

type Cell = {
  readonly fault: string;
  readonly outcome: string | null;
  readonly reason: string;
  readonly nextTurn: string;
  readonly calls: number;
  readonly open: readonly Part[];
  readonly faultsServed: number;
};

/** The fault hits every attempt of a turn, at its first or second step; then the provider works again. */
async function runCell(fault: NamedFault, step: 1 | 2): Promise<Cell> {
  let healed = false;
  let faultsServed = 0;
  let healthySteps = step - 1;
  const provider = await createProviderServer({
    next: ({ path }) => {
      if (path.endsWith("/models")) return { status: 404, body: "" };
      if (healed) return healthyReply(HEALTHY);
      if (healthySteps > 0) {
        healthySteps -= 1;
        return healthyCall("now", {});
      }
      faultsServed += 1;
      return fault;
    },
  });
  const instance = await createInstance({
    env: {
      STONECHAT_SCRIPTED: "0",
      STONECHAT_MODEL: "compatible/m",
      STONECHAT_COMPATIBLE_URL: provider.url,
      STONECHAT_COMPATIBLE_MODELS: "m",
      STONECHAT_IDLE_TIMEOUT_MS: "1000",
      STONECHAT_FIRST_TOKEN_TIMEOUT_MS: "1000",
      STONECHAT_MAX_STEPS: "4",
    },
    ...(fault.needs === "total-timeout" ? { totalMs: 1500 } : {}),
  });
  try {
    const threadId = await instance.start();
    const live = instance.follow(threadId);
    await instance.send(threadId, "Say something.");
    const run = await live.ended(1);
    const calls = provider.calls.filter(({ path }) => !path.endsWith("/models")).length;
    healed = true;
    await instance.send(threadId, "And now?");
    await live.ended(2);
    const { messages } = await instance.client.getThread({ params: { threadId } });
    const parts = messages.flatMap((message) => message.parts);
    return {
      fault: fault.name,
      outcome: run.outcome,
      reason: run.reason?.text ?? "",
      nextTurn: textOf(messages.at(-1)?.parts ?? []),
      calls,
      open: parts.filter((part) =>
        part.kind === "tool" ? !isTerminal(part.state) : "state" in part && part.state === "streaming",
      ),
      faultsServed,
    };
  } finally {
    await instance.close();
    await provider.close();
  }
}

/** Deep runs have every fault at both steps. Other runs have each at one of them. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const faultsOf = (step: 1 | 2): readonly NamedFault[] =>
  isDeep ? faults : faults.filter((_, index) => index % 2 === step - 1);

async function runAll(step: 1 | 2): Promise<readonly Cell[]> {
  const waiting = [...faultsOf(step)];
  const cells: Cell[] = [];
  const work = async (): Promise<void> => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) cells.push(await runCell(fault, step));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return cells;
}

const legal = new Set(["done", "failed", "limit"]);

test.each([1, 2] as const)(
  "provider faults at step %i end with a readable reason, and the next turn works",
  { timeout: 300_000 },
  async (step) => {
    const cells = await runAll(step);
    expect(cells.length).toBeGreaterThanOrEqual(isDeep ? 40 : 20);
    expect(
      cells.filter((cell) => cell.faultsServed === 0).map(({ fault }) => fault),
      "faults never served",
    ).toEqual([]);
    expect(
      cells.filter((cell) => !legal.has(cell.outcome ?? "")),
      "no legal end",
    ).toEqual([]);
    expect(
      cells.filter((cell) => cell.outcome === "failed" && !/^\w.{15,}[a-z]\. [A-Z]/s.test(cell.reason)),
      "no reason",
    ).toEqual([]);
    expect(
      cells.filter((cell) => cell.nextTurn !== HEALTHY).map(({ fault, nextTurn }) => [fault, nextTurn]),
      "next turn broken",
    ).toEqual([]);
    expect(
      cells.filter((cell) => cell.open.length > 0),
      "left open",
    ).toEqual([]);
    const budget = (step + 4) * ATTEMPTS_PER_STEP;
    expect(
      cells.filter((cell) => cell.calls > budget),
      "more calls than the budget",
    ).toEqual([]);
    const failed = cells.filter((cell) => cell.outcome === "failed").length;
    console.log(
      `step ${step}: ${cells.length} faults, ${failed} failed with a reason, ${cells.length - failed} answered`,
    );
  },
);
