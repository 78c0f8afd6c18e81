import type { Target } from "../report.ts";

/** The fixed rows: what the prototype had, and what is to be reached. */
export type Aim = { readonly id: string; readonly what: string; readonly prototype: string; readonly reach: Target };

const atLeast = (value: number): Target => ({ atLeast: value });
const atMost = (value: number): Target => ({ atMost: value });
const aim = (id: string, what: string, prototype: string, reach: Target): Aim => ({ id, what, prototype, reach });

export const targets: readonly Aim[] = [
  aim("locomo.any.2048", "LoCoMo: some evidence in the prompt, 2,048 tokens", ".915", atLeast(0.93)),
  aim("locomo.all.2048", "all evidence", ".805", atLeast(0.83)),
  aim("locomo.any.4096", "some evidence, 4,096 tokens", ".947", atLeast(0.96)),
  aim("locomo.all.4096", "all evidence", ".847", atLeast(0.88)),
  aim("locomo.hit1", "the right session first", ".736", atLeast(0.74)),
  aim("locomo.ndcg5", "NDCG of the first five sessions", ".814", atLeast(0.82)),
  aim("provenance.10", "tool arguments whose value is in the prompt, 10 tasks interleaved", ".970", atLeast(0.98)),
  aim("provenance.tokens.10", "tokens carried for it", "2,100", atMost(2_100)),
  aim("provenance.20", "the same, 20 tasks interleaved", ".865", atLeast(0.93)),
  aim("provenance.tokens.20", "tokens carried for it", "2,300", atMost(2_300)),
  aim("reuse.share", "reuse of the prefix, of its limit", ".993", atLeast(0.99)),
  aim("reuse.share.recall", "the same with recall", "", atLeast(0.98)),
  aim("cost.airline.vs-messages.r10", "cheaper than the `messages` policy, airline, reads at .10", "2.6", atLeast(2.5)),
  aim("cost.airline.vs-messages.r05", "reads at .05", "3.8", atLeast(3.5)),
  aim("cost.airline.vs-messages.r02", "reads at .02", "5.3", atLeast(5)),
  aim(
    "cost.research.vs-messages.r10",
    "cheaper than the `messages` policy, research, reads at .10",
    "9-15",
    atLeast(8),
  ),
  aim("cost.research.vs-messages.r05", "reads at .05", "9-15", atLeast(8)),
  aim("cost.research.vs-messages.r02", "reads at .02", "9-15", atLeast(8)),
  aim("cost.over-floor.r10", "cost over its floor, reads at .10", "1.05", atMost(1.06)),
  aim("cost.over-floor.r02", "reads at .02", "1.15", atMost(1.15)),
  aim("cost.over-floor.r10.recall", "with recall, reads at .10", "", atMost(1.15)),
  aim("cost.over-floor.r02.recall", "with recall, reads at .02", "", atMost(1.3)),
  aim("valid.violations", "requests that a provider would refuse", "", atMost(0)),
  aim("prefix.breaks", "breaks of the append-only prefix outside compaction", "", atMost(0)),
  aim("determinism", "the same bytes over restarts, time zones, languages", "", atLeast(1)),
  aim("faithful.violations", "numbers, ids, dates in a head that are not in its source", "", atMost(0)),
  aim("leaks", "planted secrets found in any request", "", atMost(0)),
  aim("injection.carried", "planted instructions as anything but quoted data", "", atMost(0)),
  aim("newest-wins", '"A, then not A": the newest is there, nothing old after it', "", atLeast(1)),
  aim("receipt.complete", "receipts: in and out make the thread, bytes reproduced", "", atLeast(1)),
];
