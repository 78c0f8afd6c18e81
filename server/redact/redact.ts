import { createWorkerThread } from "../lib/worker-thread.ts";
import type { Redacted } from "./found.ts";
import { createKnown, type KnownValue } from "./known.ts";
import { findPersonal } from "./personal.ts";
import { createPlaceholders } from "./placeholder.ts";
import { createStream, type RedactedStream } from "./stream.ts";
import { redactText } from "./replace.ts";
import { redactValue } from "./walk.ts";

export type { Found, Redacted } from "./found.ts";
export { findStandIn } from "./placeholder.ts";
export type { RedactedStream } from "./stream.ts";

/**
 * Comes in: what a tool, a page or a program said, as a value, a text or a stream of pieces. Goes out: the same with every secret
 * replaced by a placeholder, and the secrets themselves, to be encrypted and kept apart by the caller. Never keeps or logs
 * anything, never throws, takes time linear in its input, and leaves what it has redacted before as it is.
 */
export type Redactor = {
  /** By the names of fields, and every string as a text. Placeholders take the place of strings and, under such a name, numbers. */
  readonly value: (input: unknown) => Redacted<unknown>;
  readonly text: (text: string) => Redacted<string>;
  /** The same for input that may be long: long input is redacted in a worker thread. */
  readonly apart: {
    readonly value: (input: unknown) => Promise<Redacted<unknown>>;
    readonly text: (text: string) => Promise<Redacted<string>>;
  };
  /** Holds back what may be the beginning of a secret until it is decided; how the text is cut into pieces changes nothing. */
  readonly stream: () => RedactedStream;
};

export type RedactorOptions = {
  /** Keys of ours and of the user: found in every spelling, however short on entropy; at least four characters. */
  readonly known?: readonly KnownValue[];
  /** One per thread: the same value gets the same placeholder there, and another one elsewhere. */
  readonly salt: string;
  /** E-mail addresses, telephone numbers, cards and bank accounts, too. */
  readonly personalData?: boolean;
};

/** Request to the worker thread: a text, or else a value. */
export type Apart = RedactorOptions & { readonly text?: string; readonly value?: unknown };

const { request } = createWorkerThread<Apart, Redacted<unknown>>(new URL("./redact-thread.ts", import.meta.url));
/** Up to this many characters, redaction takes a few milliseconds at most and runs on the calling thread. */
const SHORT = 16_000;
const isShort = (input: unknown): boolean =>
  (typeof input === "string" ? input : JSON.stringify(input ?? null)).length <= SHORT;

export function createRedactor({ known = [], salt, personalData = false }: RedactorOptions): Redactor {
  const toPlaceholder = createPlaceholders(salt);
  const values = createKnown(known);
  const more = personalData ? [values.find, findPersonal] : [values.find];
  const value = (input: unknown): Redacted<unknown> => redactValue(input, { more, toPlaceholder });
  const text = (input: string): Redacted<string> => redactText(input, { more, toPlaceholder });
  const options = { known, salt, personalData };
  return {
    value,
    text,
    apart: {
      value: async (input) => (isShort(input) ? value(input) : request({ ...options, value: input })),
      text: async (input) =>
        isShort(input) ? text(input) : ((await request({ ...options, text: input })) as Redacted<string>),
    },
    stream: () => createStream({ more, toPlaceholder, isPending: values.isPending, personalData }),
  };
}
