import fc from "fast-check";
import { policyNames, type PolicyName } from "../protocol/context/policy.ts";
import type { ModelRequest } from "../protocol/model.ts";
import { assemble, type PromptInputs } from "../server/context/assemble.ts";
import { countTokens } from "../server/lib/tokens.ts";
import { countsOf, snapshot } from "../test/support/context/conversation.ts";
import { arbitraryThread, type ArbitraryThread, type Feature } from "../test/support/model/arbitrary-thread.ts";
import { toRequest } from "../test/support/model/arbitrary-request.ts";
import { createEncoder, targets } from "../test/support/model/encode.ts";
import { validateRequest } from "../test/support/model/validators/validate-request.ts";

/**
 * Threads in any state, under each policy in turn, encoded for every provider by its own package, and checked by that
 * provider's rules. The same seed gives the same threads.
 */
export type Valid = {
  readonly threads: number;
  readonly requests: number;
  readonly violations: number;
  /** The first few, to be looked into. */
  readonly samples: readonly string[];
  /** How many threads had each of these. */
  readonly features: Readonly<Partial<Record<Feature, number>>>;
  readonly policies: Readonly<Partial<Record<PolicyName, number>>>;
};

export type ValidOptions = {
  readonly threads: number;
  readonly seed: number;
  /** In a control, corrupts the body before the check. */
  readonly spoil?: (body: string) => string;
};

const CHUNK = 500;
const SAMPLES = 10;
const windows = [2_200, 4_000, 8_000, 32_000, null];
const choices: readonly ModelRequest["toolChoice"][] = ["auto", "none", { tool: "look" }];

export async function measureValid({ threads, seed, spoil = (body) => body }: ValidOptions): Promise<Valid> {
  const encode = createEncoder();
  const features: Partial<Record<Feature, number>> = {};
  const policies: Partial<Record<PolicyName, number>> = {};
  const samples: string[] = [];
  let [requests, violations, at] = [0, 0, 0];
  while (at < threads) {
    for (const thread of fc.sample(arbitraryThread, { numRuns: Math.min(CHUNK, threads - at), seed: seed + at })) {
      const input = toPromptInputs(thread, at);
      at += 1;
      policies[input.policy] = (policies[input.policy] ?? 0) + 1;
      for (const feature of thread.features) features[feature] = (features[feature] ?? 0) + 1;
      const { request } = assemble(input, countTokens, "epoch");
      for (const { id, dialect } of targets) {
        requests += 1;
        const faults = validateRequest(JSON.parse(spoil(await encode(request, id))), dialect);
        violations += faults.length;
        if (faults.length > 0 && samples.length < SAMPLES)
          samples.push(`${input.policy} ${id} (seed ${seed}, thread ${at - 1}): ${faults.join("; ")}`);
      }
    }
  }
  return { threads: at, requests, violations, samples, features, policies };
}

/** The settings of a thread vary with its number: window, note, memory, summaries, tools. */
function toPromptInputs({ messages }: ArbitraryThread, at: number): PromptInputs {
  const policy = policyNames[at % policyNames.length] ?? "stone";
  const round = Math.floor(at / policyNames.length);
  const last = messages.at(-1)?.depth ?? 0;
  const chunk = { id: "s1", fromDepth: 1, toDepth: Math.min(2, last), text: "It began.", tokens: 3, changedAt: 0 };
  const { tools } = toRequest([]);
  return snapshot(messages, {
    policy,
    counts: countsOf(messages),
    tools: round % 4 === 3 ? [] : tools,
    toolChoice: choices[round % choices.length] ?? "auto",
    note: round % 3 === 1 ? "[Two calls are left.]" : "",
    memory: round % 2 === 0 ? [{ field: "name", value: "Ada" }] : [],
    summaries: round % 5 === 0 ? [chunk] : [],
    state: round % 7 === 0 ? "halfway" : null,
    model: {
      id: targets[round % targets.length]?.id ?? "",
      windowTokens: windows[round % windows.length] ?? null,
      prices: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    },
  });
}
