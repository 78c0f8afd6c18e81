import { z } from "zod";
import { readSources } from "../../protocol/context/untrusted.ts";
import type { RowOf } from "../store/schema.ts";
import { findAtPath } from "./json-path.ts";
import { findPassages, readFrom } from "./read-text.ts";
import { defineTool, type CreateTool, type SourceEvidence } from "./tool.ts";

const place = z.number().int().min(0).max(1_000_000_000);
const Input = z.object({
  ref: z.number().int().min(1).max(1_000_000_000).describe("The artifact's number, as in [3]"),
  path: z
    .string()
    .max(400)
    .optional()
    .describe("For a result with fields: only the value at this path, as in rows[3].name"),
  from: place.optional().describe("Start at this character"),
  to: place.optional().describe("Stop before this character"),
  find: z.string().max(400).optional().describe("Words to search for: returns only the passages that match best"),
});
type Input = z.infer<typeof Input>;

const Span = z.object({ from: z.number(), to: z.number(), text: z.string() });
const Output = z.object({
  ref: z.number(),
  title: z.string(),
  url: z.string().nullable(),
  kind: z.string(),
  path: z.string().optional(),
  /** Length of the whole text, or of the value at the path. */
  characters: z.number(),
  passages: z.array(Span),
  /** How much more there is and how to read it. */
  more: z.string().optional(),
});

const MAX_TITLE_LENGTH = 120;

/** Positions count characters of the text, or of the value at the path as JSON. */
const create: CreateTool = () =>
  defineTool({
    name: "read_artifact",
    always: true,
    description:
      "Opens a text or result stored in this thread, by its number: a range of it from a character on, the value at a path, or " +
      "only the passages that match some words.",
    input: Input,
    output: Output,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 10_000, resultTokens: 2000 },
    describe: ({ ref, find, path }) => {
      const where = path ? `${path} of [${ref}]` : `[${ref}]`;
      return find ? `Search for “${find}” in ${where}` : `Read ${where}`;
    },
    summarize: (_, output) => toDigest(Output.safeParse(output).data),
    execute: async (input, { read, threadId, addSource, noteSources }) => {
      const row = await read.artifact(threadId, input.ref);
      if (!row) throw new Error(`There is no artifact [${input.ref}] in this thread.`);
      noteSources(readSources(row.untrusted));
      const path = input.path?.trim() ?? "";
      const text = path === "" ? row.body : toText(findAtPath(parse(row), path));
      const found = open(text, input);
      addPageSource(row, addSource);
      const { ref, title, url, kind } = row;
      const named = { ref, title: title.slice(0, MAX_TITLE_LENGTH).toWellFormed(), url, kind };
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
    throw new Error(`[${ref}] is plain text without fields. Read it with from or find instead of path.`);
  }
}

/** A string is returned as it is, everything else as JSON. */
const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 1));

/** A page opened again is a source of this answer, too. */
function addPageSource(
  { kind, url, title, ref }: RowOf<"artifacts">,
  addSource: (evidence: SourceEvidence) => void,
): void {
  if (kind === "page" && url !== null) addSource({ url, title, status: "read", ref });
}

function toDigest(output: z.infer<typeof Output> | undefined): string {
  if (output === undefined) return "read an artifact";
  const { ref, title, path, characters, passages } = output;
  const read = passages.map(({ from, to }) => `${from}-${to}`).join(", ");
  return `[${ref}] ${title}${path === undefined ? "" : ` at ${path}`}: read characters ${read || "none"} of ${characters}`;
}
