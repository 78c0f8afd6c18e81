import { setTimeout as sleep } from "node:timers/promises";
import { dropConnections, openConversation, type Contestant, type Conversation } from "./conversation.ts";
import { countDeltas, readOwnTime, readSettled, readText } from "./frames.ts";
import { nowUs, type Script } from "./script.ts";

export type Turns = {
  readonly contestant: Contestant;
  /** Existing threads, or the number of new ones. */
  readonly threads: readonly string[] | number;
  readonly rounds: number;
  readonly script: Script;
  /** All threads at once, each started at another time within this span; or one turn after the other. */
  readonly together: { readonly staggerMs: number } | null;
};

/** Per thread. */
export type TurnTimes = {
  /** Time from sending to the first delta, minus the time of the model. */
  readonly addedMs: readonly number[];
  /** Time from sending to the end of the answer. */
  readonly turnMs: readonly number[];
};

export async function takeTurns({
  contestant,
  threads,
  rounds,
  script,
  together,
}: Turns): Promise<readonly TurnTimes[]> {
  dropConnections();
  const ids = typeof threads === "number" ? Array.from({ length: threads }, () => undefined) : threads;
  const people = await Promise.all(
    ids.map(async (id) => ({ conversation: await openConversation(contestant, id), addedMs: [], turnMs: [] })),
  );
  const take = async (person: Person, count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await takeTurn(person, script);
  };
  const begin = async (person: Person, index: number, staggerMs: number): Promise<void> => {
    await sleep((staggerMs * index) / people.length);
    await take(person, rounds);
  };
  if (together) await Promise.all(people.map((person, index) => begin(person, index, together.staggerMs)));
  else for (let n = 0; n < rounds; n += 1) for (const person of people) await take(person, 1);
  for (const { conversation } of people) conversation.close();
  return people.map(({ addedMs, turnMs }) => ({ addedMs, turnMs }));
}

type Person = { readonly conversation: Conversation; readonly addedMs: number[]; readonly turnMs: number[] };

async function takeTurn({ conversation, addedMs, turnMs }: Person, script: Script): Promise<void> {
  const sentUs = nowUs();
  let received = 0;
  conversation.onFrame = (frame) => {
    const text = readText(frame);
    if (text === "") {
      received = Math.max(received, countDeltas(readSettled(frame)));
      return;
    }
    if (received === 0) addedMs.push((nowUs() - sentUs - (readOwnTime(text) ?? 0)) / 1000);
    received += countDeltas(text);
  };
  await conversation.say(script);
  turnMs.push((nowUs() - sentUs) / 1000);
  if (received !== script.deltas) throw new Error(`A turn delivered ${received} of ${script.deltas} deltas.`);
}
