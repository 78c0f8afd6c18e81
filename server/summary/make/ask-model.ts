import type { ModelFailure, ModelRequest } from "../../../protocol/model.ts";
import { noUsage, type Usage } from "../../../protocol/run.ts";
import { costOf } from "../../cost/cost.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { Model } from "../../model/model.ts";
import { INSTRUCTIONS } from "./instructions.ts";

export type Timeouts = { readonly idleMs: number; readonly totalMs: number };

/** No tools, no reasoning. The thread's text is sent only as data after the instructions. */
export const toRequest = (lines: readonly string[]): ModelRequest => ({
  system: INSTRUCTIONS,
  messages: [{ role: "user", text: lines.join("\n") }],
  tools: [],
  toolChoice: "none",
  effort: "none",
  maxOutputTokens: 1_200,
});

export const countRequest = ({ system, messages }: ModelRequest): number =>
  countTokens(system) +
  messages.reduce((sum, message) => sum + (message.role === "user" ? countTokens(message.text) : 0), 0);

export type Reply = {
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly answeredBy: string | null;
} & ({ readonly ok: true; readonly text: string } | { readonly ok: false; readonly failure: ModelFailure });

/** Makes one call and waits for its end. Never throws. Without `timeouts` the model's own apply, because a local model may be loading. */
export async function askModel(
  { info, stream }: Model,
  request: ModelRequest,
  signal: AbortSignal,
  timeouts?: Timeouts,
): Promise<Reply> {
  const idle = new AbortController();
  const startIdleTimer = () => timeouts && setTimeout(() => idle.abort(), timeouts.idleMs);
  let timer = startIdleTimer();
  const total = timeouts ? AbortSignal.timeout(timeouts.totalMs) : new AbortController().signal;
  const guess = (text: string, isCharged = false): Pick<Reply, "usage" | "costUsd" | "answeredBy"> => {
    const counts = { inputTokens: countRequest(request), outputTokens: countTokens(text), estimated: true };
    const usage = text === "" && !isCharged ? noUsage : { ...noUsage, ...counts };
    return { usage, costUsd: costOf(usage, info.prices), answeredBy: null };
  };
  let text = "";
  const reasoning = new Set<string>();
  try {
    for await (const event of stream(request, AbortSignal.any([signal, idle.signal, total]), background)) {
      clearTimeout(timer);
      timer = startIdleTimer();
      if (event.type === "start" && event.kind === "reasoning") reasoning.add(event.key);
      if (event.type === "delta" && !reasoning.has(event.key) && text.length < LONGEST) text += event.text;
      if (event.type === "end" && event.isReasoning === true) text = "";
      if (event.type === "failed") {
        const failure = idle.signal.aborted ? stalled : total.aborted ? tooSlow : event.failure;
        return { ok: false, failure, ...guess(text, event.isCharged) };
      }
      if (event.type !== "finish") continue;
      const usage = event.usage ?? guess(text || " ").usage;
      const costUsd = event.costUsd ?? costOf(usage, info.prices);
      return { ok: true, text, usage, costUsd, answeredBy: event.answeredBy ?? null };
    }
    return { ok: false, failure: silent, ...guess(text) };
  } finally {
    clearTimeout(timer);
  }
}

const LONGEST = 50_000;
const background = { isBackground: true } as const;

const fault = (code: ModelFailure["code"], text: string): ModelFailure => ({ code, fault: "provider", text });
const stalled = fault("stalled", "The model sent no data for too long.");
const tooSlow = fault("timed-out", "The model took too long.");
const silent = fault("garbled", "The model ended without an answer.");
