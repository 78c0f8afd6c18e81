import { peers, smallPeers } from "../contestants/peers.ts";
import { appendOnly, seeds } from "../contestants/seeds.ts";
import { bootstrap } from "../count/bootstrap.ts";
import { findEvidence, toText } from "../count/evidence.ts";
import { forgetPieces, sumTokens, toMessagePiece, toPiece } from "../count/pieces.ts";
import { sum } from "../count/prices.ts";
import type { Contestant, SentPrompt } from "../contestant.ts";
import type { AddedMeasure } from "../report.ts";
import { readDialogues, type Dialogue } from "../threads/dialogue.ts";
import { toQuestion } from "../threads/parts.ts";
import { toRow, type Group } from "./row.ts";

/** Whether a turn that answers a question is in the prompt, for everybody who has no budget to be given. */
type Question = { readonly any: boolean; readonly all: boolean; readonly tokens: number };

/** LoCoMo's fifth category asks about what was never said. */
const LAST_CATEGORY = 4;

export const measureDialogues: Group = async ({ find, wants }) => {
  const folder = find("locomo");
  if (folder === undefined) return [];
  const dialogues = readDialogues(folder);
  const rows: AddedMeasure[] = [];
  for (const contestant of [...seeds, appendOnly, ...peers, ...smallPeers]) {
    if (!["any", "all", "tokens"].some((kind) => wants(`locomo.${kind}.${contestant.name}`))) continue;
    const threads: (readonly Question[])[] = [];
    for (const dialogue of dialogues) threads.push(await askAll(contestant, dialogue));
    for (const kind of ["any", "all"] as const)
      rows.push(
        toRow(
          `locomo.${kind}.${contestant.name}`,
          "share",
          bootstrap(threads, (some) => share(some.flat(), (one) => one[kind])),
        ),
      );
    const tokens = bootstrap(threads, (some) => sum(some.flat(), (one) => one.tokens) / some.flat().length);
    rows.push(toRow(`locomo.tokens.${contestant.name}`, "tokens", tokens));
    forgetPieces();
  }
  return rows;
};

const share = <T>(list: readonly T[], is: (one: T) => boolean): number => list.filter(is).length / list.length;

async function askAll(contestant: Contestant, dialogue: Dialogue): Promise<readonly Question[]> {
  const session = contestant.start(dialogue);
  for (const message of dialogue.messages) {
    session.add(message);
    await session.settle();
  }
  const asked: Question[] = [];
  const place = { thread: dialogue.id, depth: dialogue.messages.length + 1 };
  for (const { text, evidence, category } of dialogue.questions) {
    if (category > LAST_CATEGORY) continue;
    const sent = await session.probe(toQuestion(place, text));
    asked.push({ ...findEvidence(toText(sent), evidence), tokens: countCarried(sent, dialogue.system, text) });
  }
  return asked;
}

/** Tokens that come from earlier turns: the request without its fixed part and the question. */
export function countCarried(sent: SentPrompt, system: string, question: string): number {
  const all = toPiece(sent.system).tokens + sumTokens(sent.messages.map(toMessagePiece));
  const own = toPiece(system).tokens + toMessagePiece({ role: "user", text: question }).tokens;
  return Math.max(0, all - own);
}
