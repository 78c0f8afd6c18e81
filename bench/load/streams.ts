import { setTimeout as sleep } from "node:timers/promises";
import { ascending, quantile } from "../statistics.ts";
import { dropConnections, openConversation, type Contestant, type Conversation } from "./conversation.ts";
import { countDeltas, readSettled, readStamps, readText } from "./frames.ts";
import { nowUs, type Script } from "./script.ts";

export type Load = {
  readonly contestant: Contestant;
  readonly streams: number;
  /** The streams are opened over this time, evenly. */
  readonly staggerMs: number;
  readonly script: Script;
  /** Without it the load lasts until every stream has ended; with it, until the window closes. */
  readonly window?: Window;
};
type Window = {
  /** From the moment every stream has had a delta, or from `startLimitMs` on at the latest. */
  readonly settleMs: number;
  readonly lengthMs: number;
  readonly startLimitMs: number;
};

/** Of the deltas that arrived in the window, or of all. */
export type Loaded = {
  readonly deltas: number;
  readonly frames: number;
  readonly wallMs: number;
  /** Age of a delta on arrival, where it carries its moment. */
  readonly p50Ms: number;
  readonly p99Ms: number;
};

type Counted = { deltas: number; frames: number; readonly ages: number[] };

const nothing = (): Counted => ({ deltas: 0, frames: 0, ages: [] });
const underWay = new Set<Promise<void>>();
let counted = nothing();
let opened: Conversation[] = [];

/** What a page has done before a message is sent: the next load takes these, and makes no others while there are some. */
export async function openStreams({ contestant, streams }: Pick<Load, "contestant" | "streams">): Promise<void> {
  dropConnections();
  opened = await Promise.all(Array.from({ length: streams }, () => openConversation(contestant)));
}

/** Resolves when every stream opened so far has ended. */
export const drain = async (): Promise<void> => void (await Promise.all(underWay));

/** Many streams at once. Each must bring every delta of its script, or the load fails: a lost word voids the figure. */
export async function loadStreams({ contestant, streams, staggerMs, script, window }: Load): Promise<Loaded> {
  dropConnections();
  const startedUs = nowUs();
  counted = nothing();
  let begun = 0;
  let allBegun = () => {};
  const everyoneBegan = new Promise<void>((resolve) => (allBegun = resolve));

  const runOne = async (index: number): Promise<void> => {
    await sleep((staggerMs * index) / streams);
    const conversation = opened.pop() ?? (await openConversation(contestant));
    let received = 0;
    conversation.onFrame = (frame) => {
      const text = readText(frame);
      if (text === "") {
        // A reader that was just looking when the answer ended gets the whole text in place of its deltas.
        const missed = Math.max(0, countDeltas(readSettled(frame)) - received);
        if (missed > 0 && received === 0 && (begun += 1) === streams) allBegun();
        received += missed;
        counted.deltas += missed;
        return;
      }
      if (received === 0 && (begun += 1) === streams) allBegun();
      const now = nowUs();
      const count = countDeltas(text);
      for (const stamp of readStamps(text)) counted.ages.push(now - stamp);
      received += count;
      counted.deltas += count;
      counted.frames += 1;
    };
    await conversation.say(script);
    conversation.close();
    if (received !== script.deltas && !window) {
      throw new Error(`a stream brought ${received} deltas of ${script.deltas}`);
    }
  };

  const all = Promise.all(Array.from({ length: streams }, (_, index) => runOne(index))).then(() => {});
  underWay.add(all);
  const ended = all.finally(() => underWay.delete(all));
  if (!window) {
    await ended;
    return conclude(startedUs);
  }
  ended.catch(() => {});
  await Promise.race([everyoneBegan, sleep(window.startLimitMs), all]);
  await sleep(window.settleMs);
  return sample(window.lengthMs);
}

/** What arrives in this time, on all streams under way. */
export async function sample(lengthMs: number): Promise<Loaded> {
  counted = nothing();
  const startedUs = nowUs();
  await sleep(lengthMs);
  return conclude(startedUs);
}

function conclude(startedUs: number): Loaded {
  const { deltas, frames, ages } = counted;
  const sorted = ascending(ages);
  const toMs = (share: number) => quantile(sorted, share) / 1000;
  return { deltas, frames, wallMs: (nowUs() - startedUs) / 1000, p50Ms: toMs(0.5), p99Ms: toMs(0.99) };
}
