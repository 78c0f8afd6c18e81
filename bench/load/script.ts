/**
 * The model's answer in a benchmark. It is part of the user's message, so that every contestant receives it like a question. A
 * delta is an English word, so that token counting and indexing have their usual cost, or `~` and a timestamp, so that the
 * client can compute its age.
 */
export type Script = {
  readonly deltas: number;
  /** Delay between deltas; 0 sends them as fast as they are read. */
  readonly paceMs: number;
  /** Delay before the first delta. */
  readonly firstMs: number;
  /** `after`: the pace counts from the previous delta. `due`: each delta has a fixed time; a late one is sent at once. */
  readonly clock: "after" | "due";
  /** The content of a delta: a word of plain text or Markdown, the time it is sent, or the time it was due. */
  readonly says: "words" | "markdown" | "given" | "due";
};

const mark = "bench:";

export const writeScript = (script: Script): string => mark + JSON.stringify(script);

/** Only at the end: a text that merely mentions a script has none. */
export const hasScript = (text: string): boolean => /bench:\{[^{}]*\}$/.test(text);

export function readScript(text: string): Script {
  const at = text.lastIndexOf(mark);
  if (at < 0) throw new Error("The message has no script.");
  return JSON.parse(text.slice(at + mark.length)) as Script;
}

const originUs = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000;

/** Microseconds of the monotonic clock, which is the same in every process. */
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

/** One long answer in pieces: headings, lists, tables and code, repeated. */
export const toPiece = (index: number): string => pieces[index % pieces.length] ?? "";

export const toStamp = (us: number): string => `~${us.toString(36)} `;

/** Follows the first timestamp: the time of the model to its first delta. */
export const toOwnTime = (us: number): string => `^${us.toString(36)} `;
