import { z } from "zod";
import { toIndex } from "../rank/rank.ts";
import type { RowOf } from "../store/schema.ts";
import { defineTool } from "./tool.ts";
import type { CreateTool } from "./workshop.ts";

const MOST_CHARACTERS = 12_000;
const PASSAGE = 1200;

const Input = z.object({
  ref: z.number().int().min(1).max(1_000_000_000).describe("The number the text was given, as in [3]"),
  from: z.number().int().min(0).max(1_000_000_000).optional().describe("Read on from this character"),
  find: z.string().max(400).optional().describe("Words: only the passages that fit them best"),
});

const Span = z.object({ from: z.number(), to: z.number(), text: z.string() });
const Output = z.object({
  ref: z.number(),
  title: z.string(),
  url: z.string().nullable(),
  kind: z.string(),
  /** Of the whole text. */
  characters: z.number(),
  passages: z.array(Span),
  /** What else there is and how to get it. */
  more: z.string().optional(),
});
type Span = z.infer<typeof Span>;
type Read = { readonly passages: readonly Span[]; readonly more?: string };

const create: CreateTool = () =>
  defineTool({
    name: "read_artifact",
    description:
      "Opens a text that a tool kept in this thread (a page, a long result) by its number; 12,000 characters at a time, or " +
      "only the passages that fit some words.",
    input: Input,
    output: Output,
    repeat: "pure",
    effects: ["read"],
    untrusted: true,
    limits: { timeoutMs: 10_000 },
    describe: ({ ref, find }) => (find ? `Look for “${find}” in [${ref}]` : `Read [${ref}]`),
    digest: (_, output) => {
      const { ref, title, characters, passages } = output as z.infer<typeof Output>;
      const read = passages.map(({ from, to }) => `${from}-${to}`).join(", ");
      return `[${ref}] ${title}: read characters ${read || "none"} of ${characters}`;
    },
    execute: async ({ ref, from, find }, { read, threadId, source }) => {
      const row = await read.artifact(threadId, ref);
      if (!row) throw new Error(`Nothing is kept under [${ref}] in this thread.`);
      const { title, url, kind, body } = row;
      const words = find?.trim() ?? "";
      const found = words === "" ? readOn(body, from ?? 0) : findPassages(body, words);
      tellSource(row, source);
      return { output: { ref, title, url, kind, characters: body.length, ...found } };
    },
  });
export default create;

/** A page that is opened again is evidence of this answer too. */
function tellSource({ kind, url, title, ref }: RowOf<"artifacts">, source: (evidence: Evidence) => void): void {
  if (kind === "page" && url !== null) source({ url, title, status: "read", ref });
}
type Evidence = { readonly url: string; readonly title: string; readonly status: "read"; readonly ref: number };

function readOn(body: string, from: number): Read {
  if (from > 0 && from >= body.length) throw new Error(`The text ends at character ${body.length}.`);
  const start = toBoundary(body, from);
  const to = findCut(body, start, MOST_CHARACTERS);
  const passages = [{ from: start, to, text: body.slice(start, to) }];
  return to === body.length ? { passages } : { passages, more: `${body.length - to} more characters: from ${to}.` };
}

/** The best ones, as many as fit, in the order of the text. */
function findPassages(body: string, words: string): Read {
  const spans = toSpans(body);
  const scores = toIndex(spans.map(({ text }) => text)).score(words);
  const matching = spans
    .map((span, at) => ({ span, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.span.from - b.span.from);
  if (matching.length === 0) return { passages: [], more: `None of its ${spans.length} passages has these words.` };
  let room = MOST_CHARACTERS;
  const fitting = matching.filter(({ span }) => (room -= span.text.length) >= 0);
  const passages = fitting.map(({ span }) => span).toSorted((a, b) => a.from - b.from);
  const rest = matching.length - fitting.length;
  return rest === 0 ? { passages } : { passages, more: `${rest} more passages have some of these words.` };
}

/** Whole paragraphs while they are short. */
function toSpans(body: string): readonly Span[] {
  const spans: Span[] = [];
  for (let from = 0; from < body.length;) {
    const to = findCut(body, from, PASSAGE);
    const text = body.slice(from, to);
    if (text.trim() !== "") spans.push({ from, to, text });
    from = to;
  }
  return spans;
}

/** Behind the last paragraph, line, sentence or word that fits; never within a pair of surrogates. */
function findCut(body: string, from: number, most: number): number {
  if (body.length - from <= most) return body.length;
  const room = body.slice(from, from + most);
  for (const border of ["\n\n", "\n", ". ", " "]) {
    const at = room.lastIndexOf(border);
    if (at > most / 2) return from + at + border.length;
  }
  return toBoundary(body, from + most);
}

const toBoundary = (body: string, at: number): number =>
  at > 0 && /^[\udc00-\udfff]/.test(body.slice(at, at + 1)) && /[\ud800-\udbff]$/.test(body.slice(at - 1, at))
    ? at - 1
    : at;
