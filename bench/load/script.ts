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
  /** What a delta says: a word of a text, or one of Markdown, or the moment it is given, or the moment it was due. */
  readonly says: "words" | "markdown" | "given" | "due";
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

const markdown = `## What the book holds

${text.slice(0, 360)} **Nothing** is struck out, and \`line 40\` is as it was written; see [the harbour](https://harbour.example/book).

- Boats, *by name*, with the day they came
- Cargo, by weight
- Debts, with whose they are

| boat | tons | sold |
| --- | --- | --- |
| Maud | 40 | no |
| Ebb and flow | 112 | in the spring |

\`\`\`ts
const debts = book.lines.filter((line) => line.kind === "debt");
for (const { boat, sum } of debts) print(\`\${boat} owes \${sum}\`);
\`\`\`

`;
const pieces = markdown.match(/\S+\s*/g) ?? [];

/** One long answer, a piece at a time: headings, lists, tables and code over and over. */
export const toPiece = (index: number): string => pieces[index % pieces.length] ?? "";

export const toStamp = (us: number): string => `~${us.toString(36)} `;

/** Beside the first stamp: how long the model itself took to it. */
export const toOwnTime = (us: number): string => `^${us.toString(36)} `;
