import { setTimeout as sleep } from "node:timers/promises";
import { ascending, quantile } from "../statistics.ts";
import { dropConnections, openConversation, type Contestant, type Conversation } from "./conversation.ts";
import { countDeltas, readSettled, readStamps, readText } from "./frames.ts";
import { nowUs, type Script } from "./script.ts";

export type Load = {
  readonly contestant: Contestant;
  readonly streams: number;
  /** The streams are opened evenly over this time. */
  readonly staggerMs: number;
  readonly script: Script;
  /** If set, the load lasts until the window closes; otherwise until every stream has ended. */
  readonly window?: Window;
};
type Window = {
  /** Starts when every stream has had a delta, at the latest after `startLimitMs`. */
  readonly settleMs: number;
  readonly lengthMs: number;
  readonly startLimitMs: number;
};

/** Figures of the deltas that arrived in the measured window, or of all deltas. */
export type LoadFigures = {
  readonly deltas: number;
  readonly frames: number;
  readonly wallMs: number;
  /** Age of a delta on arrival, if it contains its timestamp. */
  readonly p50Ms: number;
  readonly p99Ms: number;
};

type DeltaCounts = { deltas: number; frames: number; readonly ages: number[] };

const nothing = (): DeltaCounts => ({ deltas: 0, frames: 0, ages: [] });
const underWay = new Set<Promise<void>>();
let counted = nothing();
let opened: Conversation[] = [];

/** Opens conversations in advance, as a page does before a message is sent. The next load uses these first. */
export async function openStreams({ contestant, streams }: Pick<Load, "contestant" | "streams">): Promise<void> {
  dropConnections();
  opened = await Promise.all(Array.from({ length: streams }, () => openConversation(contestant)));
}

/** Resolves when every stream opened so far has ended. */
export const drain = async (): Promise<void> => void (await Promise.all(underWay));

/** Many streams at once. Each must deliver every delta of its script, or the load fails: a lost delta invalidates the figure. */
export async function loadStreams({ contestant, streams, staggerMs, script, window }: Load): Promise<LoadFigures> {
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
        // A reader that checked just when the answer ended gets the whole text instead of its deltas.
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
      throw new Error(`A stream delivered ${received} of ${script.deltas} deltas.`);
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

/** Deltas that arrive in this time on all running streams. */
export async function sample(lengthMs: number): Promise<LoadFigures> {
  counted = nothing();
  const startedUs = nowUs();
  await sleep(lengthMs);
  return conclude(startedUs);
}

function conclude(startedUs: number): LoadFigures {
  const { deltas, frames, ages } = counted;
  const sorted = ascending(ages);
  const toMs = (share: number) => quantile(sorted, share) / 1000;
  return { deltas, frames, wallMs: (nowUs() - startedUs) / 1000, p50Ms: toMs(0.5), p99Ms: toMs(0.99) };
}
