import type { RunView } from "../../protocol/run.ts";
import { own } from "../lib/own.ts";

/** What the user can do about an answer that ended early. */
export type Offer = "continue" | "retry" | "model" | "models-page" | "costs";

export type Advice = {
  /** Advice in addition to the server's reason. */
  readonly text: string;
  readonly offers: readonly Offer[];
};

const again: Advice = { text: "", offers: ["retry", "model"] };

const byCode: Readonly<Record<string, Advice>> = {
  unauthorized: {
    text: "Its key is not accepted: check it in the settings, or use another model.",
    offers: ["models-page", "model", "retry"],
  },
  "no-credit": {
    text: "Its account has no credit left: add some there, or use another model.",
    offers: ["model", "models-page", "retry"],
  },
  "not-found": { text: "Pick a model that is offered here.", offers: ["model", "models-page"] },
  unavailable: {
    text: "Connect its provider in the settings, or use another model.",
    offers: ["model", "models-page"],
  },
  resting: { text: "", offers: ["model", "retry"] },
  "too-long": { text: "A model with a larger window may take it.", offers: ["model", "retry"] },
  refused: { text: "Say it differently, or ask another model.", offers: ["model", "retry"] },
  "bad-request": { text: "Another model may take it.", offers: ["model", "retry"] },
  budget: { text: "Raise the budget to go on.", offers: ["costs", "model", "retry"] },
  "no-tools": { text: "Choose a model that supports tools.", offers: ["model", "retry"] },
  unreachable: { text: "Check the network and the provider's address.", offers: ["retry", "model", "models-page"] },
};

/** Advice and actions for the end of a run, best action first. An answer with text can be continued. */
export function advise({ outcome, reason }: Pick<RunView, "outcome" | "reason">, hasText = false): Advice {
  if (outcome === "limit") return { text: "", offers: ["continue"] };
  const { text, offers }: Advice =
    outcome === "stopped" ? { text: "", offers: ["retry"] } : (own(byCode, reason?.code ?? "") ?? again);
  return { text, offers: hasText ? ["continue", ...offers] : offers };
}
