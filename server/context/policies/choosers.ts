import { policyWindows, type PolicyName, type PolicyWindow } from "../../../protocol/context/policy.ts";
import { putDigestsFirst } from "./project-digests.ts";
import { keepNewest } from "../fit.ts";
import { listLeftOut } from "./left-out.ts";
import type { Policy } from "./policy.ts";
import { chooseReplay } from "./replay.ts";
import { chooseSnapshot } from "./snapshot.ts";
import { chooseSummary, SUMMARY } from "./summary.ts";
import { chooseTranscript } from "./transcript.ts";
import { findFirst, toBlocks } from "./window.ts";

type Classic = Exclude<PolicyName, "stone">;

/** The last 50 messages with tool calls and their results, as many of the newest as fit. */
const chooseMessages: Policy = (input) => {
  const { units, budget, window } = input;
  const first = findFirst(units, window.messages);
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

/** A policy's window with the numbers of a profile where it has some. */
export const toWindow = (policy: Classic, own: PolicyWindow): { messages: number; characters: number } => ({
  messages: own.messages ?? policyWindows[policy].messages,
  characters: own.characters ?? policyWindows[policy].characters ?? Number.POSITIVE_INFINITY,
});

/** Number of messages to load for a policy: the window, the current answer, and for `transcript` also the answered message. */
export const countLoaded = (policy: Classic, own: PolicyWindow): number =>
  toWindow(policy, own).messages + (policy === "transcript" ? 2 : 1);

/** The largest number of summaries that any policy includes. */
export const summariesShown: number = SUMMARY.summaries;
