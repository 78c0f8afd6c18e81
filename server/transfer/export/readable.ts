import { describeEnd, textOf } from "../../../protocol/fold.ts";
import type { Part } from "../../../protocol/parts.ts";
import { listCitedRefs, listSourceRefs } from "../../../protocol/source-refs.ts";
import { escapeHtml } from "../../lib/escape-html.ts";
import type { RowOf } from "../../store/schema.ts";
import { toPrintedHtml } from "./markdown-to-html.ts";
import type { ExportedMessage } from "./read-thread.ts";

const LONGEST_NAME = 60;

/** ASCII only, so that it is valid in headers and on every file system. */
export const toFileName = (title: string): string => {
  const plain = title
    .normalize("NFKD")
    .replaceAll(/[^\w .-]+/g, "")
    .trim()
    .replaceAll(/[\s.]+/g, "-");
  return plain.slice(0, LONGEST_NAME).replaceAll(/^-+|(?<!-)-+$/g, "") || "thread";
};

/** Front matter in YAML, whose strings are JSON strings. */
const toFront = (thread: RowOf<"threads">): string =>
  [
    "---",
    `title: ${JSON.stringify(toLine(thread.title || "Untitled"))}`,
    `id: ${thread.id}`,
    `created: ${new Date(thread.created_at).toISOString()}`,
    `updated: ${new Date(thread.updated_at).toISOString()}`,
    `model: ${JSON.stringify(thread.model)}`,
    `pinned: ${thread.pinned === 1}`,
    `archived: ${thread.archived === 1}`,
    "---\n\n",
  ].join("\n");

/** A thread as readable Markdown, with tools by name and sources as links. */
export async function* toMarkdown(
  thread: RowOf<"threads">,
  messages: AsyncIterable<ExportedMessage>,
  hasFront = false,
): AsyncGenerator<string> {
  if (hasFront) yield toFront(thread);
  yield `# ${toLine(thread.title || "Untitled")}\n\n_Started ${toTime(thread.created_at)}_\n`;
  for await (const { role, createdAt, parts, endedEarly, author } of messages) {
    const model = parts.findLast((part) => part.kind === "step")?.model;
    const who =
      role === "user" ? toLine(author?.name || "You") : `Assistant${model === undefined ? "" : ` (${model})`}`;
    yield `\n## ${who}, ${toTime(createdAt)}\n\n`;
    const current = parts.filter((part) => part.aside === undefined);
    const end = endedEarly ? [`> ${toLine(describeEnd(endedEarly))}`] : [];
    yield [...current.flatMap(toBlock), ...end].join("\n\n");
    const refs = listSourceRefs(current);
    const sources = current.flatMap((part) => toSource(part, refs, textOf(current)));
    yield sources.length === 0 ? "\n" : `\n\n${sources.join("\n")}\n`;
  }
}

const toTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const toLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function toBlock(part: Part): string[] {
  switch (part.kind) {
    case "text":
      return part.text.trim() === "" ? [] : [part.text.trim()];
    case "tool":
      return [`> **${part.name}**: ${toLine(part.title ?? "")} (${part.state})`];
    case "notice":
      return [`> ${toLine(part.text)}`];
    case "file":
      return [`> File: ${toLine(part.name ?? part.mediaType)}`];
    default:
      return [];
  }
}

/** Only sources that the answer cites or that were read for it. */
function toSource(part: Part, known: ReadonlyMap<string, readonly number[]>, text: string): string[] {
  if (part.kind !== "source" || part.url === undefined) return [];
  if (part.ref === undefined && part.status !== "read") return [];
  const title = toLine(part.title ?? part.url).replaceAll(/[[\]]/g, "");
  // The numbers that the text uses; the newest if it uses none.
  const cited = new Set(listCitedRefs(text));
  const used = (known.get(part.url) ?? []).filter((ref) => cited.has(ref));
  const refs = used.length > 0 || part.ref === undefined ? used : [part.ref];
  return [`- ${refs.map((ref) => `[${ref}] `).join("")}[${title}](<${part.url}>)`];
}

/** A page for printing. Without scripts, pictures or requests: see `toPrintedHtml`. */
export async function* toHtml(
  thread: RowOf<"threads">,
  messages: AsyncIterable<ExportedMessage>,
): AsyncGenerator<string> {
  const title = escapeHtml(toLine(thread.title || "Untitled"));
  yield `<!doctype html>
<html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
  body { font: 1rem/1.6 Georgia, serif; max-width: 44rem; margin: 3rem auto; padding: 0 1.5rem }
  h1, h2, h3, h4, h5, h6 { line-height: 1.25; break-after: avoid }
  h2 { font: 600 .9rem/1.4 system-ui, sans-serif; margin-top: 2.5rem }
  p, li, td, th { overflow-wrap: anywhere }
  p { white-space: pre-wrap; margin: 0 0 1rem }
  pre { font-size: .85rem; line-height: 1.4; white-space: pre-wrap; overflow-wrap: anywhere; border-inline-start: 3px solid #8886; padding-inline-start: 1rem }
  table { border-collapse: collapse; margin: 0 0 1rem }
  th, td { border: 1px solid #8886; padding: .25rem .6rem; text-align: start; vertical-align: top }
  tr, pre { break-inside: avoid }
  blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid #8886 }
  .tool { opacity: .7; font-size: .9rem }
  @media print { body { margin: 0 auto; font-size: 11pt } a { color: inherit } }
</style>
<h1>${title}</h1>
<p class="tool">${toTime(thread.created_at)}</p>
`;
  for await (const { role, createdAt, parts, endedEarly, author } of messages) {
    const model = parts.findLast((part) => part.kind === "step")?.model;
    const who = role === "user" ? author?.name || "You" : `Assistant${model === undefined ? "" : ` (${model})`}`;
    yield `<h2>${escapeHtml(who)}, ${toTime(createdAt)}</h2>\n`;
    const current = parts.filter((part) => part.aside === undefined);
    for (const part of current)
      for (const block of toBlock(part)) yield `${part.kind === "text" ? toText(role, block) : toNote(block)}\n`;
    if (endedEarly) yield `${toNote(describeEnd(endedEarly))}\n`;
    const refs = listSourceRefs(current);
    const sources = current.flatMap((part) => toSource(part, refs, textOf(current)));
    if (sources.length > 0) yield `${toPrintedHtml(sources.join("\n"))}\n`;
  }
  yield "</html>\n";
}

/** Messages of users are shown as typed, as on the page. */
const toText = (role: ExportedMessage["role"], text: string): string =>
  role === "user" ? `<p>${escapeHtml(text)}</p>` : toPrintedHtml(text);

/** Of a tool, a file or a notice, whose Markdown is a quote. */
const toNote = (block: string): string =>
  `<p class="tool">${escapeHtml(toLine(block).replace(/^> /, "").replaceAll("**", ""))}</p>`;
