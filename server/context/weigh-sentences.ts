import { rank } from "../rank/rank.ts";
import { toTerms } from "../rank/terms.ts";
import { splitSentences } from "../lib/split-sentences.ts";

export type WeighedTurn = {
  readonly depth: number;
  readonly role: "user" | "assistant";
  readonly at: number;
  readonly text: string;
  readonly tools: readonly { readonly name: string; readonly digest: string }[];
};

/** A sentence with its score. */
export type SourceText = {
  readonly turn: number;
  readonly depth: number;
  readonly role: WeighedTurn["role"];
  readonly text: string;
  /** The previous sentence of its turn; empty for the first. */
  readonly before: string;
  readonly order: number;
  readonly score: number;
  readonly kind: "decision" | "todo" | "question" | "point";
};

const decision =
  /\b(?:decided?|decision|agreed?|approved?|confirmed?|settled on|going with|let['’]?s (?:go|use|do|take|keep)|we(?:['’]ll| will| chose)|chosen|instead of|switch(?:ed)? to|entschieden|beschlossen|vereinbart|wir nehmen|einigen uns|décidé|convenu|on part sur|decidido|decidimos|acordamos|deciso|concordato|besloten|afgesproken)\b|решили|решено|договорил|决定|確定|決定|決めた|결정/iu;
const todo =
  /\b(?:to-?do|needs? to|has to|have to|must|remember to|don['’]?t forget|remind|next steps?|deadline|due|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|please|müssen?|sollen?|nicht vergessen|bitte|bis (?:montag|dienstag|mittwoch|donnerstag|freitag)|à faire|il faut|n['’]oublie|hay que|tengo que|tenemos que|dobbiamo|devo|moet(?:en)?)\b|нужно|надо|необходимо|需要|必须|请|しなければ|必要|ください|해야/iu;
const question = /[?？؟]["'”’»)\]]*$/u;
const figure = /\p{N}/u;
/** A capitalized word within the sentence, or letters with digits. */
const name = /(?<=[\p{L}\p{N},;:)'"’”]\s{1,3})\p{Lu}[\p{L}\p{N}]+|\b(?=\w{0,80}\d)(?=\w{0,80}[A-Za-z])[\w-]{3,200}\b/gu;

/** Every sentence of these turns with its score, in order. Pure; gives the same result on every machine. */
export function weighSentences(turns: readonly WeighedTurn[]): readonly SourceText[] {
  const all = turns.flatMap(({ depth, role, text }, turn) => {
    const sentences = splitSentences(text);
    return sentences.map((one, index) => ({
      turn,
      depth,
      role,
      text: one.text,
      before: sentences[index - 1]?.text ?? "",
    }));
  });
  const central = rank(
    toCenter(all.map(({ text }) => text)),
    all.map(({ text }) => text),
  );
  const most = Math.max(...central, Number.EPSILON);
  return all.map((one, order) => {
    const kind = kindOf(one.text);
    const share = (central[order] ?? 0) / most / Math.sqrt(Math.max(1, one.text.length / TYPICAL_LENGTH));
    return { ...one, order, kind, score: share + toBonus(one.text, kind, one.role) };
  });
}

const TYPICAL_LENGTH = 90;
const CENTER_TERMS = 40;

/** The topic of the turns: the terms that most of their sentences share. */
function toCenter(texts: readonly string[]): string {
  const having = new Map<string, number>();
  for (const text of texts) for (const term of new Set(toTerms(text))) having.set(term, (having.get(term) ?? 0) + 1);
  return [...having]
    .filter(([term]) => term.length > 2)
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, CENTER_TERMS)
    .map(([term]) => term)
    .join(" ");
}

function kindOf(text: string): SourceText["kind"] {
  if (question.test(text)) return "question";
  if (decision.test(text)) return "decision";
  return todo.test(text) ? "todo" : "point";
}

function toBonus(text: string, kind: SourceText["kind"], role: WeighedTurn["role"]): number {
  const names = Math.min(3, text.match(name)?.length ?? 0);
  const ofKind = { decision: 0.5, todo: 0.35, question: 0.05, point: 0 }[kind];
  return (
    ofKind +
    (figure.test(text) ? 0.35 : 0) +
    names * 0.15 +
    (role === "user" ? 0.2 : 0) -
    // Greetings, thanks and the like: short, without a number or a name.
    (text.length < 25 && names === 0 && !figure.test(text) ? 0.6 : 0)
  );
}
