import { z } from "zod";
import type { ToolContext } from "../tool.ts";
import { cleanText } from "./clean-text.ts";
import type { JsonObject } from "./definition.ts";

/** Longer results are cut here; the whole is kept and can be read on. */
const SHOWN = 12_000;
const MAX_ERROR_LENGTH = 2000;
/** Of a picture or a sound, as base64. */
const MAX_BINARY_LENGTH = 2_000_000;

const object = z.record(z.string(), z.unknown());
const Answer = z.object({
  content: z.array(object).default([]),
  structuredContent: object.optional(),
  isError: z.boolean().catch(false).default(false),
});
const Text = z.object({ type: z.literal("text"), text: z.string() });
const Binary = z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() });
const Link = z.object({ type: z.literal("resource_link"), uri: z.string(), name: z.string().catch("") });
const Resource = z.object({
  type: z.literal("resource"),
  resource: z.object({
    uri: z.string().catch(""),
    mimeType: z.string().optional(),
    text: z.string().optional(),
    blob: z.string().optional(),
  }),
});

type Keep = ToolContext["saveArtifact"];

export type McpOutput = { readonly output: unknown; readonly structured: JsonObject | undefined };

/** A server's answer as the output of a tool. Its own word that it failed is a failure, with the reason it gives. */
export function toOutput(raw: unknown, title: string, keep: Keep): McpOutput {
  const parsed = Answer.safeParse(raw);
  if (!parsed.success) throw new Error("The server's answer is not what the protocol asks for.");
  const { content, structuredContent: structured, isError } = parsed.data;
  if (isError) throw new Error(toErrorText(content));
  const texts = content.map((piece) => cleanText(toText(piece, title, keep))).filter((text) => text !== "");
  const text = texts.join("\n\n");
  // Servers are asked to say structured results once more as text; once is enough for a prompt.
  if (structured === undefined || isWrapped(text, structured))
    return { output: shorten(text, title, "text/plain", keep), structured };
  const json = cleanText(JSON.stringify(structured, null, 1));
  const isSaid = isSameJson(text, structured) || text === "";
  const whole = isSaid ? json : `${text}\n\n${json}`;
  if (whole.length > SHOWN) return { output: shorten(whole, title, "application/json", keep), structured };
  return { output: isSaid ? structured : { text, structured }, structured };
}

function toErrorText(content: readonly JsonObject[]): string {
  const texts = content.flatMap((piece) => Text.safeParse(piece).data?.text ?? []);
  return cleanText(texts.join("\n")).slice(0, MAX_ERROR_LENGTH) || "The tool failed and gave no reason.";
}

function toText(piece: JsonObject, title: string, keep: Keep): string {
  const text = Text.safeParse(piece).data;
  if (text) return text.text;
  const binary = Binary.safeParse(piece).data;
  if (binary) return keepBinary(binary.data, binary.mimeType, title, keep);
  const link = Link.safeParse(piece).data;
  if (link) return `[${link.name || "a resource"}: ${link.uri}]`;
  const resource = Resource.safeParse(piece).data?.resource;
  if (resource?.text !== undefined) return `${resource.uri}:\n${resource.text}`;
  if (resource?.blob !== undefined)
    return `${resource.uri}: ${keepBinary(resource.blob, resource.mimeType ?? "application/octet-stream", title, keep)}`;
  return `[something of the kind ${JSON.stringify(piece["type"] ?? "unknown").slice(0, 80)}, which is not shown here]`;
}

/** Kept as base64, for the person's eyes; a model is told that it is there. */
function keepBinary(base64: string, mimeType: string, title: string, keep: Keep): string {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream";
  const size = `${type}, about ${Math.ceil((base64.length * 3) / 4 / 1024)} kB`;
  if (base64.length > MAX_BINARY_LENGTH) return `[${size}: too large to keep]`;
  const { ref } = keep({ kind: "file", title, type, text: base64, meta: { encoding: "base64" } });
  return `[${size}, kept as ${ref}]`;
}

function shorten(text: string, title: string, type: string, keep: Keep): unknown {
  if (text.length <= SHOWN) return text;
  const { ref } = keep({ kind: "result", title, type, text });
  return {
    text: text.slice(0, SHOWN),
    ref,
    more: `These are the first ${SHOWN} of ${text.length} characters. The whole is kept as ${ref}: read on with read_artifact.`,
  };
}

/** `{ "content": text }`, and nothing else. */
const isWrapped = (text: string, structured: JsonObject): boolean => {
  const [only, ...more] = Object.values(structured);
  return more.length === 0 && only === text;
};

function isSameJson(text: string, structured: JsonObject): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}
