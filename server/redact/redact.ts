import { createWorkerThread } from "../lib/worker-thread.ts";
import type { RedactedValue } from "./finding.ts";
import { createKnownValues, type KnownValue } from "./known.ts";
import { findPersonal } from "./personal.ts";
import { createPlaceholders } from "./placeholder.ts";
import { createStream, type RedactedStream } from "./stream.ts";
import { redactText } from "./replace.ts";
import { redactValue } from "./walk.ts";

export type { Finding, RedactedValue } from "./finding.ts";
export { findAddedPlaceholder } from "./placeholder.ts";
export type { RedactedStream } from "./stream.ts";

/**
 * Replaces every secret in tool output, pages or program output by a placeholder, for a value, a text or a stream, and
 * returns the secrets, which the caller encrypts and stores separately. Never stores or logs anything, never throws,
 * runs in linear time, and leaves redacted text unchanged.
 */
export type Redactor = {
  /** By field names, and every string as a text. Placeholders replace strings and, under such a name, numbers. */
  readonly value: (input: unknown) => RedactedValue<unknown>;
  readonly text: (text: string) => RedactedValue<string>;
  /** The same for input that may be long: long input is redacted in a worker thread. */
  readonly inWorker: {
    readonly value: (input: unknown) => Promise<RedactedValue<unknown>>;
    readonly text: (text: string) => Promise<RedactedValue<string>>;
  };
  /**
   * Holds back text that may be the start of a secret until that is decided. The result does not depend on the chunks.
   */
  readonly stream: () => RedactedStream;
};

type RedactorOptions = {
  /** Keys of the instance and of the user: found in every spelling, regardless of entropy; at least four characters. */
  readonly known?: readonly KnownValue[];
  /** One per thread: the same value gets the same placeholder within a thread, and different ones across threads. */
  readonly salt: string;
  /** Also redact email addresses, phone numbers, cards and bank accounts. */
  readonly personalData?: boolean;
};

/** Request to the worker thread: a text, or else a value. */
export type WorkerRequest = RedactorOptions & { readonly text?: string; readonly value?: unknown };

const { request } = createWorkerThread<WorkerRequest, RedactedValue<unknown>>(
  new URL("./redact-thread.ts", import.meta.url),
);
/** Up to this many characters, redaction takes a few milliseconds at most and runs on the calling thread. */
const MAX_INLINE_CHARACTERS = 16_000;
const isShort = (input: unknown): boolean =>
  (typeof input === "string" ? input : JSON.stringify(input ?? null)).length <= MAX_INLINE_CHARACTERS;

export function createRedactor({ known = [], salt, personalData = false }: RedactorOptions): Redactor {
  const toPlaceholder = createPlaceholders(salt);
  const values = createKnownValues(known);
  const more = personalData ? [values.find, findPersonal] : [values.find];
  const value = (input: unknown): RedactedValue<unknown> => redactValue(input, { more, toPlaceholder });
  const text = (input: string): RedactedValue<string> => redactText(input, { more, toPlaceholder });
  const options = { known, salt, personalData };
  return {
    value,
    text,
    inWorker: {
      value: async (input) => (isShort(input) ? value(input) : request({ ...options, value: input })),
      text: async (input) =>
        isShort(input) ? text(input) : ((await request({ ...options, text: input })) as RedactedValue<string>),
    },
    stream: () => createStream({ more, toPlaceholder, isPending: values.isPending, personalData }),
  };
}
