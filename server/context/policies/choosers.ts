import type { PolicyName } from "../../../protocol/context/policy.ts";
import { putDigestsFirst } from "./project-digests.ts";
import { chooseMessages, MESSAGES_LIMIT } from "./messages.ts";
import type { Policy } from "./policy.ts";
import { chooseReplay, REPLAY } from "./replay.ts";
import { chooseSnapshot, SNAPSHOT_MESSAGES } from "./snapshot.ts";
import { chooseSummary, SUMMARY } from "./summary.ts";
import { chooseTranscript, TRANSCRIPT } from "./transcript.ts";

type Classic = Exclude<PolicyName, "stone">;

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
