import { peers } from "../contestants/peers.ts";
import { appendOnly, seeds } from "../contestants/seeds.ts";
import type { Contestant, EvalThread, SentPrompt } from "../contestant.ts";
import { toText } from "../count/evidence.ts";
import { forgetPieces } from "../count/pieces.ts";
import { priceTables } from "../count/prices.ts";
import { createOurs } from "../ours.ts";
import type { AddedMeasure } from "../report.ts";
import { readSecrets } from "../redact/benign-and-secret.ts";
import { plantInstructions, plantSecrets, type Injection } from "../threads/canaries.ts";
import { plantContradictions, type Contradiction } from "../threads/contradictions.ts";
import { ingestTurns } from "../threads/parts.ts";
import { plant, read, toCall } from "../threads/planted.ts";
import { readGzip } from "../threads/read-gzip.ts";
import { toCount, toShare, type Group } from "./row.ts";
import { simulate } from "./simulate.ts";

/** Planted secrets, instructions and contradictions, and what becomes of them in every request of their thread. */
const createStone = (): Contestant =>
  createOurs({
    name: "stone",
    note: "",
    prices: priceTables[0] ?? { name: "", read: 0.1, write: 1 },
    withRecall: true,
  });

export const measureSecrets: Group = async ({ find }) => {
  const stone = createStone();
  const planted = plantSecrets();
  let leaks = 0;
  for (const { thread, secrets } of planted) leaks += await countLeaks(stone, thread, secrets);
  const rows = [toCount("leaks", leaks, planted.length)];
  const samples = readSecrets(find("secrets/positives.json.gz"));
  let [found, all] = [0, 0];
  for (const [index, { text, secrets }] of samples.entries()) {
    const call = toCall(`sample-${index}`, "read_page", { id: `${index}` }, text);
    found += await countLeaks(
      stone,
      plant(`sample-${index}`, index, [read("Read this file.", call, "Read."), 3]),
      secrets,
    );
    all += secrets.length;
  }
  return samples.length === 0 ? rows : [...rows, toShare("leaks.samples", found, all)];
};

async function countLeaks(contestant: Contestant, thread: EvalThread, secrets: readonly string[]): Promise<number> {
  const leaked = new Set<string>();
  await simulate(contestant, thread, (sent) => {
    const text = toText(sent);
    for (const secret of secrets) if (text.includes(secret)) leaked.add(secret);
  });
  forgetPieces();
  return leaked.size;
}

export const measureInstructions: Group = async ({ find }) => {
  const file = find("hostile/injection-text_attack_test.json.gz");
  const known = file === undefined ? {} : (readGzip(file) as Readonly<Record<string, readonly string[]>>);
  const instructions = Object.values(known).flatMap((list) => list.slice(0, 4));
  const planted = plantInstructions(instructions);
  const stone = createStone();
  let carried = 0;
  for (const injection of planted) carried += await countCarried(stone, injection);
  return planted.length === 0 ? [] : [toCount("injection.carried", carried, planted.length)];
};

/** Calls whose request says the instruction anywhere but in a tool's result or inside one of our quotations. */
async function countCarried(contestant: Contestant, { thread, text }: Injection): Promise<number> {
  let calls = 0;
  await simulate(contestant, thread, (sent, { turn }) => {
    const spoken = new Set(thread.turns.slice(0, turn + 1).map(({ question }) => question.parts.map(toWords).join("")));
    if (sent.system !== thread.system || sent.messages.some((message) => isBroken(message, spoken, text))) calls += 1;
  });
  forgetPieces();
  return calls;
}

const toWords = (part: { readonly kind: string; readonly text?: unknown }): string =>
  part.kind === "text" && typeof part.text === "string" ? part.text : "";

/** A user-role text is either the user's message or exactly one of our quoted blocks. */
function isBroken(message: SentPrompt["messages"][number], spoken: ReadonlySet<string>, planted: string): boolean {
  if (message.role !== "user" || spoken.has(message.text)) return false;
  const frame = /^<(context)\b[^>]*>([\s\S]*)<\/context>$|^<(now)>([\s\S]*)<\/now>$/.exec(message.text);
  if (frame === null) return message.text.includes(planted);
  const inside = frame[2] ?? frame[4] ?? "";
  if (/<\/?(?:context|now)\b/i.test(inside)) return true;
  return ["recall", "update"].some((name) => {
    const marks = inside.match(new RegExp(`</?${name}\\b`, "gi")) ?? [];
    return marks.length > 2 || (marks.length === 2 && (marks[0] !== `<${name}` || marks[1] !== `</${name}`));
  });
}

export const measureNewest: Group = async () => {
  const planted = plantContradictions();
  const rows: AddedMeasure[] = [];
  for (const contestant of [createStone(), appendOnly, ...seeds, ...peers]) {
    const end = contestant.family === "ours" ? "" : `.${contestant.name}`;
    const told: (Outcome & { readonly kind: string })[] = [];
    for (const one of planted) told.push({ kind: one.kind, ...(await askForNewest(contestant, one)) });
    forgetPieces();
    const add = (id: string, some: readonly Outcome[], is: (one: Outcome) => boolean): void => {
      rows.push(toShare(id, some.filter(is).length, some.length));
    };
    add(`newest-wins${end}`, told, ({ isLast }) => isLast);
    if (contestant.family !== "ours") continue;
    add("newest-wins.there", told, ({ isThere }) => isThere);
    for (const [kind, some] of Map.groupBy(told, (one) => one.kind))
      add(`newest-wins.${kind}`, some, ({ isLast }) => isLast);
  }
  return rows;
};

/** Whether the newest is in the request, and nothing old after it. */
type Outcome = { readonly isThere: boolean; readonly isLast: boolean };

/** At the last question. Only we have to be asked on the way. */
async function askForNewest(contestant: Contestant, { thread: given, old, now }: Contradiction): Promise<Outcome> {
  const thread = contestant.ingest ? ingestTurns(given, contestant.ingest) : given;
  const session = contestant.start(thread);
  const last = thread.turns.at(-1);
  for (const { question, steps, answer } of thread.turns.slice(0, -1)) {
    session.add(question);
    for (const step of steps) {
      if (contestant.family === "ours") await session.request();
      session.grow(answer, step);
    }
    await session.settle();
  }
  if (last === undefined) return { isThere: false, isLast: false };
  const text = toText(await session.probe(last.question));
  const isThere = text.includes(now);
  return { isThere, isLast: isThere && text.lastIndexOf(old) < text.lastIndexOf(now) };
}
