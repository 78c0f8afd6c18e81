import { describeEnd } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import type { RowOf } from "../store/schema.ts";
import type { ExportedMessage } from "./read-thread.ts";

/** A thread for people to read: who said what, when, with tools by name and sources as links. */
export async function* toMarkdown(
  thread: Pick<RowOf<"threads">, "title" | "created_at" | "model">,
  messages: AsyncIterable<ExportedMessage>,
): AsyncGenerator<string> {
  yield `# ${toLine(thread.title || "Untitled")}\n\n_Started ${toTime(thread.created_at)}_\n`;
  for await (const { role, createdAt, parts, endedEarly } of messages) {
    const model = parts.findLast((part) => part.kind === "step")?.model;
    const who = role === "user" ? "You" : `Assistant${model === undefined ? "" : ` (${model})`}`;
    yield `\n## ${who}, ${toTime(createdAt)}\n\n`;
    const standing = parts.filter((part) => part.aside === undefined);
    const end = endedEarly ? [`> ${toLine(describeEnd(endedEarly))}`] : [];
    yield [...standing.flatMap(toBlock), ...end].join("\n\n");
    const sources = standing.flatMap(toSource);
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

/** Only what the answer cites, or what was read for it. */
function toSource(part: Part): string[] {
  if (part.kind !== "source" || part.url === undefined) return [];
  if (part.ref === undefined && part.status !== "read") return [];
  const title = toLine(part.title ?? part.url).replaceAll(/[[\]]/g, "");
  return [`- ${part.ref === undefined ? "" : `[${part.ref}] `}[${title}](<${part.url}>)`];
}
