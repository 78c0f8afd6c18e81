import type { Contestant, EvalThread, SentPrompt } from "../contestant.ts";
import { toRows } from "../contestants/log.ts";
import { countShared, sumTokens, toMessagePiece, toPieces, type Piece } from "../count/pieces.ts";
import type { Call } from "../count/prices.ts";
import { ingestTurns } from "../threads/parts.ts";

/** Told at each model call: where in the thread it is, and what is sent. */
export type Look = (sent: SentPrompt, place: { readonly turn: number; readonly step: number }) => void;

/** One recorded thread from its first words to its last answer, and what each model call was sent. */
export async function simulate(
  contestant: Contestant,
  given: EvalThread,
  look: Look = () => {},
): Promise<readonly Call[]> {
  const thread = contestant.ingest ? ingestTurns(given, contestant.ingest) : given;
  const session = contestant.start(thread);
  const calls: Call[] = [];
  let before: readonly Piece[] | undefined;
  let fresh = 0;
  for (const [turn, { question, steps, answer }] of thread.turns.entries()) {
    session.add(question);
    fresh += countRows(toRows("user", question.parts));
    for (const [step, parts] of steps.entries()) {
      const sent = await session.request();
      look(sent, { turn, step });
      const pieces = toPieces(thread.tools, sent);
      const shared = before === undefined ? 0 : countShared(before, pieces);
      calls.push({ turn, input: sumTokens(pieces), shared, fresh, aside: sent.aside, isFirst: before === undefined });
      [before, fresh] = [pieces, 0];
      session.grow(answer, parts);
      fresh += countRows(toRows("assistant", parts));
    }
    await session.settle();
  }
  return calls;
}

const countRows = (rows: ReturnType<typeof toRows>): number => sumTokens(rows.map(toMessagePiece));
