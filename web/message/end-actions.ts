import type { RunView } from "../../protocol/run.ts";
import { message } from "../strings/message.ts";
import { own } from "../lib/own.ts";

/** Actions for an answer that ended early. */
export type Offer = "continue" | "retry" | "model" | "models-page" | "costs";

export type Advice = {
  /** Advice in addition to the server's reason. */
  readonly text: string;
  readonly offers: readonly Offer[];
};

const { advice } = message;

const retry: Advice = { text: "", offers: ["retry", "model"] };

const byCode: Readonly<Record<string, Advice>> = {
  unauthorized: {
    text: advice.unauthorized,
    offers: ["models-page", "model", "retry"],
  },
  "no-credit": {
    text: advice.noCredit,
    offers: ["model", "models-page", "retry"],
  },
  "not-found": { text: advice.notFound, offers: ["model", "models-page"] },
  unavailable: {
    text: advice.unavailable,
    offers: ["model", "models-page"],
  },
  resting: { text: "", offers: ["model", "retry"] },
  "too-long": { text: advice.tooLong, offers: ["model", "retry"] },
  refused: { text: advice.refused, offers: ["model", "retry"] },
  "bad-request": { text: advice.badRequest, offers: ["model", "retry"] },
  budget: { text: advice.budget, offers: ["costs", "model", "retry"] },
  "no-tools": { text: advice.noTools, offers: ["model", "retry"] },
  unreachable: { text: "", offers: ["retry", "model", "models-page"] },
};

/** Sentences of the server that do not say what to do. The others do. */
const withoutAdvice: ReadonlySet<string> = new Set([
  "no-tools",
  "model-unavailable",
  "model-gone",
  "model-declined",
  "quote",
  "budget-day",
  "budget-month",
  "budget-thread",
  "budget-cost",
  "budget-cost-unknown",
  "budget-reserved",
  "budget-uncounted-call",
]);

/** Advice and actions for the end of a run, best action first. An answer with text can be continued. */
export function advise({ outcome, reason }: Pick<RunView, "outcome" | "reason">, hasText = false): Advice {
  if (outcome === "limit") return { text: "", offers: ["continue"] };
  const { text, offers }: Advice =
    outcome === "stopped" ? { text: "", offers: ["retry"] } : (own(byCode, reason?.code ?? "") ?? retry);
  const isAdvised = (reason?.sentences ?? []).some(({ name }) => !withoutAdvice.has(name));
  return { text: isAdvised ? "" : text, offers: hasText ? ["continue", ...offers] : offers };
}
