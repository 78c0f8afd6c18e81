import { z } from "zod";
import { readSources } from "../../protocol/context/untrusted.ts";
import type { RowOf } from "../store/schema.ts";
import { findAtPath } from "./json-path.ts";
import { findPassages, readFrom } from "./read-text.ts";
import { defineTool, type CreateTool, type SourceEvidence } from "./tool.ts";

const place = z.number().int().min(0).max(1_000_000_000);
const Input = z.object({
  ref: z.number().int().min(1).max(1_000_000_000).describe("The number the text was given, as in [3]"),
  path: z.string().max(400).optional().describe("Of a result with fields: only what stands there, as in rows[3].name"),
  from: place.optional().describe("Read on from this character"),
  to: place.optional().describe("And stop before this one"),
  find: z.string().max(400).optional().describe("Words: only the passages that fit them best"),
});
type Input = z.infer<typeof Input>;

const Span = z.object({ from: z.number(), to: z.number(), text: z.string() });
const Output = z.object({
  ref: z.number(),
  title: z.string(),
  url: z.string().nullable(),
  kind: z.string(),
  path: z.string().optional(),
  /** Of the whole text, or of what stands at the path. */
  characters: z.number(),
  passages: z.array(Span),
  /** What else there is and how to get it. */
  more: z.string().optional(),
});

const LONGEST_TITLE = 120;

/** Places are characters of the text, or of what stands at the path, written as JSON. */
const create: CreateTool = () =>
  defineTool({
    name: "read_artifact",
    description:
      "Opens a text or result that was kept in this thread, by its number: a stretch of it from a character on, what stands at a " +
      "path, or only the passages that fit some words.",
    input: Input,
    output: Output,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 10_000, resultTokens: 2000 },
    describe: ({ ref, find, path }) => {
      const where = path ? `${path} of [${ref}]` : `[${ref}]`;
      return find ? `Look for “${find}” in ${where}` : `Read ${where}`;
    },
    summarize: (_, output) => toDigest(Output.safeParse(output).data),
    execute: async (input, { read, threadId, addSource, noteSources }) => {
      const row = await read.artifact(threadId, input.ref);
      if (!row) throw new Error(`Nothing is kept under [${input.ref}] in this thread.`);
      noteSources(readSources(row.untrusted));
      const path = input.path?.trim() ?? "";
      const text = path === "" ? row.body : toText(findAtPath(parse(row), path));
      const found = open(text, input);
      addPageSource(row, addSource);
      const { ref, title, url, kind } = row;
      const named = { ref, title: title.slice(0, LONGEST_TITLE).toWellFormed(), url, kind };
      return { output: { ...named, ...(path === "" ? {} : { path }), characters: text.length, ...found } };
    },
  });
export default create;

function open(text: string, { from, to, find }: Input) {
  const words = find?.trim() ?? "";
  return words === "" ? readFrom(text, from ?? 0, to) : findPassages(text, words);
}

function parse({ ref, body }: RowOf<"artifacts">): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Error(`[${ref}] is a text without fields: open it by from or find.`);
  }
}

/** JSON within a text is opened by the same path. */
const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 1));

/** A page that is opened again is evidence of this answer too. */
function addPageSource(
  { kind, url, title, ref }: RowOf<"artifacts">,
  source: (evidence: SourceEvidence) => void,
): void {
  if (kind === "page" && url !== null) source({ url, title, status: "read", ref });
}

function toDigest(output: z.infer<typeof Output> | undefined): string {
  if (output === undefined) return "read something that was kept";
  const { ref, title, path, characters, passages } = output;
  const read = passages.map(({ from, to }) => `${from}-${to}`).join(", ");
  return `[${ref}] ${title}${path === undefined ? "" : ` at ${path}`}: read characters ${read || "none"} of ${characters}`;
}
