import type { StreamName } from "../../../protocol/ids.ts";
import type { Batch, BatchResult } from "../contract.ts";
import { encode, toDeltaBatch, toResult } from "./delta-batch.ts";
import type { Writer } from "./start-writer.ts";
import type { Tails } from "./tails.ts";

export type Commits = {
  readonly commit: (batches: readonly Batch[]) => Promise<readonly BatchResult[]>;
  /** Runs it when no commit is on its way, so the file and the tails tell of the same moment. */
  readonly whenQuiet: (run: () => void) => void;
  readonly settled: (stream: StreamName) => Promise<void> | undefined;
};

/**
 * What the writing thread has committed can be read from the file before its answer is here. Whoever reads a stream's rows
 * together with its tail waits for that answer.
 */
export function createCommits(writer: Writer, tails: Tails): Commits {
  let onTheirWay = 0;
  let flying = new Set<string>();
  let waiting: (() => void)[] = [];

  const whenQuiet = (run: () => void): void => {
    if (onTheirWay === 0) run();
    else waiting.push(run);
  };

  const land = (): void => {
    onTheirWay -= 1;
    if (onTheirWay > 0) return;
    flying = new Set();
    const runs = waiting;
    waiting = [];
    for (const run of runs) run();
  };

  return {
    commit: async (batches) => {
      const deltas = batches.map(toDeltaBatch);
      for (const one of deltas) if (one) flying.add(one.stream);
      onTheirWay += 1;
      try {
        // As text: it is taken apart and put together in half the time that objects take from thread to thread.
        const asked = batches.map((batch, n) => (deltas[n] ? encode(deltas[n]) : batch));
        const answers = await writer.ask<readonly (BatchResult | number)[]>({
          do: "commit",
          batches: JSON.stringify(asked),
        });
        return batches.map((batch, n) => {
          const [answer, one] = [answers[n], deltas[n]];
          if (one && typeof answer === "number") {
            if (answer > 0) tails.add(one, answer);
            return toResult(one, answer);
          }
          const result = answer as BatchResult;
          if (result.ok) tails.apply(batch);
          return result;
        });
      } finally {
        land();
      }
    },
    whenQuiet,
    settled: (stream) => (flying.has(stream) ? new Promise((resolve) => whenQuiet(resolve)) : undefined),
  };
}
