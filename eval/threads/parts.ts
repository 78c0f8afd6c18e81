import type { MessageView } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import type { EvalThread, Turn } from "../contender.ts";

/** Messages and parts in the product's own shape, from recorded words, calls and results. */
export type Saying =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly callId: string;
      readonly name: string;
      readonly input: unknown;
      readonly output: string;
    };

export type RecordedTurn = { readonly question: string; readonly steps: readonly (readonly Saying[])[] };

const STARTED_AT = Date.UTC(2024, 4, 15, 15);
const MINUTE = 60_000;

export function toMessage(
  place: { readonly thread: string; readonly depth: number },
  role: "user" | "assistant",
  parts: readonly Part[],
): MessageView {
  const { thread, depth } = place;
  const id = `${thread}-${String(depth).padStart(4, "0")}`;
  const runId = role === "user" ? null : `run-${id}`;
  return { id, role, branchId: thread, depth, runId, variants: [id], createdAt: STARTED_AT + depth * MINUTE, parts };
}

export const toTextPart = (text: string, n = 0, step = 0): Part => ({
  id: `p${n}`,
  v: 1,
  n,
  step,
  kind: "text",
  state: "done",
  text,
});

function toPart(saying: Saying, n: number, step: number): Part {
  if (saying.kind === "text") return toTextPart(saying.text, n, step);
  const { callId, name, input, output } = saying;
  return { id: `p${n}`, v: 1, n, step, kind: "tool", state: "ok", callId, name, input, output };
}

export function toTurns(thread: string, recorded: readonly RecordedTurn[]): readonly Turn[] {
  return recorded.map(({ question, steps }, index): Turn => {
    let n = 0;
    const parts = steps.map((step, at) => step.map((saying) => toPart(saying, n++, at + 1)));
    return {
      question: toMessage({ thread, depth: 2 * index + 1 }, "user", [toTextPart(question)]),
      steps: parts,
      answer: toMessage({ thread, depth: 2 * index + 2 }, "assistant", parts.flat()),
    };
  });
}

/** The same turns with another contender's hand on every part. */
export const ingestTurns = (thread: EvalThread, ingest: (part: Part) => Part): EvalThread => ({
  ...thread,
  turns: thread.turns.map((turn) => {
    const steps = turn.steps.map((step) => step.map(ingest));
    return { ...turn, steps, answer: { ...turn.answer, parts: steps.flat() } };
  }),
});
