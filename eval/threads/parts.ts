import type { MessageView } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import type { EvalThread, Turn } from "../contestant.ts";

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

type Place = { readonly thread: string; readonly depth: number };

export const toMessageId = ({ thread, depth }: Place): string => `${thread}-${String(depth).padStart(4, "0")}`;

/** A message whose parts are numbered from 0. */
export function toMessage(
  place: Place,
  role: "user" | "assistant",
  steps: readonly (readonly Saying[])[],
): MessageView {
  const id = toMessageId(place);
  let n = 0;
  return {
    id,
    role,
    branchId: place.thread,
    depth: place.depth,
    runId: role === "user" ? null : `run-${id}`,
    variants: [id],
    createdAt: STARTED_AT + place.depth * MINUTE,
    parts: steps.flatMap((sayings, at) =>
      sayings.map((saying) => toPart(saying, { message: id, n: n++, step: role === "user" ? 0 : at + 1 })),
    ),
  };
}

export const toQuestion = (place: Place, text: string): MessageView =>
  toMessage(place, "user", [[{ kind: "text", text }]]);

function toPart(
  saying: Saying,
  { message, n, step }: { readonly message: string; readonly n: number; readonly step: number },
): Part {
  const place = { id: `${message}.${n}`, v: 1 as const, n, step };
  if (saying.kind === "text") return { ...place, kind: "text", state: "done", text: saying.text };
  const { callId, name, input, output } = saying;
  return { ...place, kind: "tool", state: "ok", callId, name, input, output };
}

export const toTurns = (thread: string, recorded: readonly RecordedTurn[]): readonly Turn[] =>
  recorded.map(({ question, steps }, index): Turn => {
    const answer = toMessage({ thread, depth: 2 * index + 2 }, "assistant", steps);
    return {
      question: toQuestion({ thread, depth: 2 * index + 1 }, question),
      steps: steps.map((_, at) => answer.parts.filter(({ step }) => step === at + 1)),
      answer,
    };
  });

/** The same turns with another contestant's hand on every part. */
export const ingestTurns = (thread: EvalThread, ingest: (part: Part) => Part): EvalThread => ({
  ...thread,
  turns: thread.turns.map((turn) => {
    const steps = turn.steps.map((step) => step.map(ingest));
    return { ...turn, steps, answer: { ...turn.answer, parts: steps.flat() } };
  }),
});
