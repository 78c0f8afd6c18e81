import type { PolicyName } from "../../../protocol/context/policy.ts";
import { putDigestsFirst } from "./project-digests.ts";
import { keepNewest } from "../fit.ts";
import { listLeftOut } from "./left-out.ts";
import type { Policy } from "./policy.ts";
import { chooseReplay, REPLAY } from "./replay.ts";
import { chooseSnapshot, SNAPSHOT_MESSAGES } from "./snapshot.ts";
import { chooseSummary, SUMMARY } from "./summary.ts";
import { chooseTranscript, TRANSCRIPT } from "./transcript.ts";
import { findFirst, toBlocks } from "./window.ts";

type Classic = Exclude<PolicyName, "stone">;

const MESSAGES_LIMIT = 50;

/** The last 50 messages with tool calls and their results, as many of the newest as fit. */
const chooseMessages: Policy = (input) => {
  const { units, budget } = input;
  const first = findFirst(units, MESSAGES_LIMIT);
  const blocks = toBlocks(
    keepNewest(
      units.filter(({ depth }) => depth >= first),
      budget,
    ),
  );
  return {
    blocks,
    leftOut: listLeftOut(input, blocks, (depth) => (depth < first ? "beyond-the-window" : "over-budget")),
  };
};

/** The five classic policies by name. */
export const choosers: Readonly<Record<Classic, Policy>> = {
  transcript: putDigestsFirst(chooseTranscript),
  replay: putDigestsFirst(chooseReplay),
  snapshot: chooseSnapshot,
  messages: putDigestsFirst(chooseMessages),
  summary: putDigestsFirst(chooseSummary),
};

/** How many messages each policy looks at, including the answered message and the current answer. */
export const windows: Readonly<Record<Classic, number>> = {
  transcript: TRANSCRIPT.messages + 2,
  replay: REPLAY.messages,
  snapshot: SNAPSHOT_MESSAGES,
  messages: MESSAGES_LIMIT,
  summary: SUMMARY.most,
};

/** The largest number of summaries that any policy includes. */
export const summariesShown: number = SUMMARY.summaries;
