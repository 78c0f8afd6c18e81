import { assemble, MESSAGES_LIMIT } from "../server/context/assemble.ts";
import { countTokens } from "../server/lib/tokens.ts";
import { openStore } from "../server/store/open.ts";
import { loadWindow } from "../server/thread/path.ts";
import type { Place } from "./arena.ts";

type Times = { readonly rounds: number; readonly times: number };

/** Loading a thread's window and assembling the request from it, again and again; milliseconds of each, by round. */
export async function assembleRepeatedly(place: Place, thread: string, { rounds, times }: Times): Promise<number[][]> {
  const store = await openStore({ directory: place.directory, databaseUrl: place.databaseUrl || null });
  const branch = (await store.read.thread(thread))?.branch ?? "";
  const once = async (): Promise<number> => {
    const startedAt = performance.now();
    const { messages, tokens } = await loadWindow(store.read, { thread, branch, count: MESSAGES_LIMIT });
    const { receipt } = assemble(
      {
        system: "You are a careful assistant.",
        messages,
        counts: tokens,
        tools: [],
        toolChoice: "auto",
        effort: "medium",
        model: { id: "bench/bench", windowTokens: 128_000 },
        earlierMessages: Math.max(0, (messages[0]?.depth ?? 1) - 1),
      },
      countTokens,
    );
    if (receipt.included.length !== MESSAGES_LIMIT) throw new Error("the window was not filled");
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
