import { assemble, type Compaction, type PromptInputs } from "../server/context/assemble.ts";
import { countTokens } from "../server/lib/tokens.ts";
import { openStore } from "../server/store/open.ts";
import { loadWindow } from "../server/thread/path.ts";
import type { Place } from "./arena.ts";

type Times = { readonly rounds: number; readonly times: number };

/** Messages read of a thread without a compaction; the first call makes one. */
const FIRST_LOOK = 600;

/** Loads a thread since its last compaction and assembles the request, repeatedly. Returns milliseconds by round. */
export async function assembleRepeatedly(place: Place, thread: string, { rounds, times }: Times): Promise<number[][]> {
  const store = await openStore({ directory: place.directory, databaseUrl: place.databaseUrl || null });
  const branch = (await store.read.thread(thread))?.branch ?? "";
  const tip = (await store.read.branch(thread, branch))?.tip ?? 0;
  const load = async (compaction: Compaction | null, count: number): Promise<PromptInputs> => {
    const { messages, tokens } = await loadWindow(store.read, { thread, branch, count });
    return {
      policy: "stone",
      system: "You are a careful assistant.",
      messages,
      counts: tokens,
      answer: { id: "next", depth: tip + 1, part: 0 },
      compaction,
      delaysCompaction: false,
      memory: [],
      pins: [],
      state: null,
      summaries: [],
      recalled: [],
      digests: [],
      now: 1,
      note: "",
      tools: [],
      toolChoice: "auto",
      effort: "medium",
      model: {
        id: "bench/bench",
        windowTokens: 128_000,
        prices: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
      },
      previous: null,
      tooLong: null,
      untrusted: [],
    };
  };
  const first = assemble(await load(null, FIRST_LOOK), countTokens, "epoch");
  const compaction: Compaction | null = first.compaction && { id: "epoch", model: "bench/bench", ...first.compaction };
  const once = async (): Promise<number> => {
    const startedAt = performance.now();
    const { receipt } = assemble(
      await load(compaction, tip - (compaction?.depth ?? tip - FIRST_LOOK)),
      countTokens,
      "epoch",
    );
    if (receipt.items.length < 4) throw new Error("The window was not filled.");
    return performance.now() - startedAt;
  };
  const take = async (count: number): Promise<number[]> => {
    const all: number[] = [];
    for (let n = 0; n < count; n += 1) all.push(await once());
    return all;
  };
  await take(300);
  const found: number[][] = [];
  for (let round = 0; round < rounds; round += 1) found.push(await take(times));
  await store.close();
  return found;
}
