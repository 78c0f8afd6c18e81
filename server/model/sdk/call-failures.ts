import type { ModelFailure } from "../../../protocol/model.ts";

/** Texts for what our own timers decide about a call. */
export const toSeconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`);

const failure = (code: ModelFailure["code"], text: string): ModelFailure => ({ code, fault: "provider", text });

export const stalled = (label: string, ms: number): ModelFailure =>
  failure(
    "stalled",
    `${label} sent nothing for ${toSeconds(ms)}. It may be overloaded: try again, or choose another model.`,
  );

export const timedOut = (label: string, ms: number): ModelFailure =>
  failure(
    "time-limit",
    `${label} did not begin its answer within ${toSeconds(ms)}. Ask for less at once, or choose a faster model.`,
  );

export const loading = (label: string, ms: number): ModelFailure =>
  failure(
    "loading",
    `${label} is still loading the model after ${toSeconds(ms)}. Wait until it is ready and try again, or choose another model.`,
  );

export const cut = (label: string): ModelFailure =>
  failure("cut", `The answer of ${label} broke off before it was complete. Try again.`);

export const loadingText = (label: string): string => `The model server ${label} is loading the model…`;

export const slowText = (label: string): string =>
  `Waiting for the model server ${label}. It may be loading the model or reading a long prompt…`;
