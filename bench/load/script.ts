/**
 * What a model is to say in a benchmark. It travels in the person's message, so every contestant gets it the way it gets a
 * question. A delta is a word of English, so that counting tokens and indexing cost what they cost; or `~` and a moment,
 * so that the client can tell how old it is.
 */
export type Script = {
  readonly deltas: number;
  /** Between deltas. 0: as fast as they are taken. */
  readonly paceMs: number;
  /** Before the first one. */
  readonly firstMs: number;
  /** `after`: the pace counts from the delta before. `due`: each delta has its moment; one that is late comes at once. */
  readonly clock: "after" | "due";
  /** What a delta says: a word of a text, or the moment it is given, or the moment it was due. */
  readonly says: "words" | "given" | "due";
};

const mark = "bench:";

export const writeScript = (script: Script): string => mark + JSON.stringify(script);

/** At its end: a text that only tells of scripts asks for none. */
export const hasScript = (text: string): boolean => /bench:\{[^{}]*\}$/.test(text);

export function readScript(text: string): Script {
  const at = text.lastIndexOf(mark);
  if (at < 0) throw new Error("the message holds no script");
  return JSON.parse(text.slice(at + mark.length)) as Script;
}

const originUs = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000;

/** Microseconds of the machine's monotonic clock: the same in every process. */
export const nowUs = (): number => Math.round(originUs + performance.now() * 1000);

const text =
  "The warden of the harbour kept a ledger in which every boat had its line, and no line was ever struck out. When a hull " +
  "was sold, the sale was written below it; when it sank, the day and the depth. Strangers found the book slow to read, but " +
  "nobody who came to ask about a debt, a cargo or a brother left without an answer, and in forty years the warden was not " +
  "once asked to swear that the book was right. On still evenings the older pilots sat by the door and read from it aloud.";
const words = text.split(" ").map((word) => `${word} `);

export const toWord = (index: number): string => words[index % words.length] ?? "";

export const toStamp = (us: number): string => `~${us.toString(36)} `;

/** Beside the first stamp: how long the model itself took to it. */
export const toOwnTime = (us: number): string => `^${us.toString(36)} `;
