import type { Seal } from "../lib/seal.ts";
import { createRedactor, type Finding, type Redactor } from "../redact/redact.ts";
import type { Write } from "../store/contract.ts";

/** Redacts secrets in tool results and stores them encrypted, so that only their owner can reveal them. */
export type Secrets = {
  readonly redactorOf: (threadId: string) => Redactor;
  readonly toWrites: (threadId: string, found: readonly Finding[], now: number) => readonly Write[];
};

type KnownSecrets = readonly { readonly name: string; readonly value: string }[];
type Options = {
  readonly seal: Seal;
  /** Called for each redactor because keys can be set at runtime. */
  readonly known: () => KnownSecrets;
};

export const createSecrets = ({ seal, known }: Options): Secrets => ({
  redactorOf: (threadId) => createRedactor({ known: known(), salt: seal.derive(`redact ${threadId}`) }),
  toWrites: (threadId, found, now) => {
    const values = new Map(found.map(({ placeholder, secret }) => [placeholder, secret]));
    return [...values].map(([placeholder, secret]) => ({
      do: "put",
      table: "hidden_values",
      row: { thread: threadId, placeholder, sealed: seal.encrypt(secret), created_at: now },
    }));
  },
});
