import { countTokens } from "../../server/lib/tokens.ts";
import type { RecallParameters } from "../../server/recall/ranking/parameters.ts";
import { rankMessages, renderRecalled, searchRecall } from "../../server/recall/recall.ts";
import type { Measure } from "../report.ts";
import { openDatabase, type Conversation, type Question, type RecallDatabase } from "./thread.ts";

/** By conversation: one number per question that counts. */
type Samples = Map<string, number[][]>;

const counters = {
  /** As the prototype counted: characters / 4. */
  "": (text: string): number => text.length / 4,
  ".tokens": countTokens,
} as const satisfies Record<string, (text: string) => number>;

export type MeasureOptions = {
  readonly prefix: string;
  readonly budgets: readonly number[];
  readonly parameters?: RecallParameters;
};

/**
 * Every question is asked as the thread's next message; what recall brings back, as rendered, is looked through for the turns
 * that hold the answer. *any*: at least one is there; *all*: every one is. Intervals by drawing conversations again.
 */
export async function measureRecall(
  conversations: readonly Conversation[],
  { prefix, budgets, parameters }: MeasureOptions,
): Promise<readonly Measure[]> {
  const samples: Samples = new Map();
  const database = await openDatabase();
  try {
    for (const [at, conversation] of conversations.entries()) {
      const add = (id: string, value: number): void => {
        const lists = samples.get(id) ?? conversations.map(() => []);
        lists[at]?.push(value);
        samples.set(id, lists);
      };
      const thread = await database.add(conversation);
      for (const question of conversation.questions) {
        const asked: QuestionRun = {
          database,
          conversation,
          question,
          search: toSearch(thread, conversation, question),
          parameters,
        };
        await countEvidence(add, prefix, budgets, asked);
        await countSessions(add, prefix, asked);
      }
    }
  } finally {
    await database.close();
  }
  return [...samples].map(([id, lists]) => toMeasure(id, lists)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function toSearch(thread: string, { turns }: Conversation, { text }: Question) {
  return {
    threadId: thread,
    branchId: "root",
    upTo: turns.length,
    query: text,
    previous: turns
      .slice(-2)
      .map((turn) => turn.text)
      .join("\n"),
    now: turns.at(-1)?.at ?? 0,
    visible: { cut: turns.length, messageIds: new Set<string>() },
  };
}

type Add = (id: string, value: number) => void;
type QuestionRun = {
  readonly database: RecallDatabase;
  readonly conversation: Conversation;
  readonly question: Question;
  readonly search: ReturnType<typeof toSearch>;
  readonly parameters: RecallParameters | undefined;
};

async function countEvidence(
  add: Add,
  prefix: string,
  budgets: readonly number[],
  { database, question, search, parameters }: QuestionRun,
): Promise<void> {
  const options = parameters === undefined ? {} : { parameters };
  for (const [suffix, measure] of Object.entries(counters))
    for (const budgetTokens of budgets) {
      const found = await searchRecall(database.read, { ...search, budgetTokens }, { ...options, measure });
      if (measure(renderRecalled(found)) > budgetTokens * 1.01) throw new Error("more was recalled than fits");
      const depths = new Set(found.map(({ depth }) => depth));
      count(add, { prefix, budget: `${budgetTokens}${suffix}` }, question, depths);
      if (budgetTokens === budgets[0] && suffix === "") add(`${prefix}.silent`, found.length === 0 ? 1 : 0);
    }
}

function count(
  add: Add,
  { prefix, budget }: { readonly prefix: string; readonly budget: string },
  { evidence, corrected, kind, isHeadline }: Question,
  found: ReadonlySet<number>,
): void {
  const judge = (wanted: readonly number[], suffix: string): void => {
    const there = wanted.filter((depth) => found.has(depth)).length;
    add(`${prefix}.any.${budget}${suffix}`, there > 0 ? 1 : 0);
    add(`${prefix}.all.${budget}${suffix}`, there === wanted.length ? 1 : 0);
  };
  if (isHeadline) judge(evidence, "");
  if (isHeadline) judge(corrected, ".corrected");
  judge(evidence, ".every");
  judge(evidence, `.${kind}`);
}

/** Sessions in the order of their best turn: is the first one right, and how good are the first five. */
async function countSessions(
  add: Add,
  prefix: string,
  { database, conversation, question, search, parameters }: QuestionRun,
) {
  const best = new Map<number, number>();
  for (const [depth, score] of await rankMessages(database.read, search, parameters)) {
    const session = conversation.sessions[depth - 1] ?? 0;
    if (score > (best.get(session) ?? 0)) best.set(session, score);
  }
  const order = [...best].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).map(([session]) => session);
  const wanted = new Set(question.evidence.map((depth) => conversation.sessions[depth - 1] ?? 0));
  add(`${prefix}.hit1`, wanted.has(order[0] ?? -1) ? 1 : 0);
  let [gain, ideal] = [0, 0];
  for (let place = 0; place < 5; place += 1) {
    const worth = 1 / Math.log2(place + 2);
    if (wanted.has(order[place] ?? -1)) gain += worth;
    if (place < wanted.size) ideal += worth;
  }
  add(`${prefix}.ndcg5`, gain / ideal);
}

const DRAWS = 1000;

function toMeasure(id: string, lists: readonly (readonly number[])[]): Measure {
  const full = lists.filter((list) => list.length > 0);
  const random = createRandom(1);
  const drawn = Array.from({ length: DRAWS }, () =>
    mean(full.flatMap(() => full[Math.floor(random() * full.length)] ?? [])),
  ).toSorted((a, b) => a - b);
  const value = mean(full.flat());
  const [low = value, high = value] = [drawn[Math.floor(DRAWS * 0.025)], drawn[Math.floor(DRAWS * 0.975)]];
  return { id, value, unit: "share", low, high, n: full.flat().length };
}

const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / Math.max(1, list.length);

/** Small and the same everywhere (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
