import { z } from "zod";
import type { ToolContext } from "../tool.ts";
import { removeInvisible } from "./clean-text.ts";
import type { JsonObject } from "./definition.ts";

/** Longer results are cut here; the full text is stored as an artifact. */
const MAX_SHOWN = 12_000;
const MAX_ERROR_LENGTH = 2000;
/** Base64 characters of an image or audio. */
const MAX_BINARY_LENGTH = 2_000_000;

const object = z.record(z.string(), z.unknown());
const CallResult = z.object({
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

type SaveArtifact = ToolContext["saveArtifact"];

type McpOutput = { readonly output: unknown; readonly structured: JsonObject | undefined };

/** Converts a server's result to a tool output. Throws if the server reports an error. */
export function toOutput(raw: unknown, title: string, save: SaveArtifact): McpOutput {
  const parsed = CallResult.safeParse(raw);
  if (!parsed.success) throw new Error("The server's response does not follow the protocol.");
  const { content, structuredContent: structured, isError } = parsed.data;
  if (isError) throw new Error(toErrorText(content));
  const texts = content.map((piece) => removeInvisible(toText(piece, title, save))).filter((text) => text !== "");
  const text = texts.join("\n\n");
  // The protocol asks servers to repeat structured results as text; the prompt needs only one of them.
  if (structured === undefined || isWrapped(text, structured))
    return { output: shorten(text, title, "text/plain", save), structured };
  const json = removeInvisible(JSON.stringify(structured, null, 1));
  const isDuplicate = isSameJson(text, structured) || text === "";
  const full = isDuplicate ? json : `${text}\n\n${json}`;
  if (full.length > MAX_SHOWN) return { output: shorten(full, title, "application/json", save), structured };
  return { output: isDuplicate ? structured : { text, structured }, structured };
}

function toErrorText(content: readonly JsonObject[]): string {
  const texts = content.flatMap((piece) => Text.safeParse(piece).data?.text ?? []);
  return removeInvisible(texts.join("\n")).slice(0, MAX_ERROR_LENGTH) || "The tool failed and gave no reason.";
}

function toText(piece: JsonObject, title: string, save: SaveArtifact): string {
  const text = Text.safeParse(piece).data;
  if (text) return text.text;
  const binary = Binary.safeParse(piece).data;
  if (binary) return saveBinary(binary.data, binary.mimeType, title, save);
  const link = Link.safeParse(piece).data;
  if (link) return `[${link.name || "a resource"}: ${link.uri}]`;
  const resource = Resource.safeParse(piece).data?.resource;
  if (resource?.text !== undefined) return `${resource.uri}:\n${resource.text}`;
  if (resource?.blob !== undefined)
    return `${resource.uri}: ${saveBinary(resource.blob, resource.mimeType ?? "application/octet-stream", title, save)}`;
  return `[content of type ${JSON.stringify(piece["type"] ?? "unknown").slice(0, 80)}, not shown]`;
}

/** Stored as base64 for the user. The model only gets a note with its number. */
function saveBinary(base64: string, mimeType: string, title: string, save: SaveArtifact): string {
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream";
  const size = `${type}, about ${Math.ceil((base64.length * 3) / 4 / 1024)} kB`;
  if (base64.length > MAX_BINARY_LENGTH) return `[${size}: too large to store]`;
  const { ref } = save({ kind: "file", title, type, text: base64, meta: { encoding: "base64" } });
  return `[${size}, stored as [${ref}]]`;
}

function shorten(text: string, title: string, type: string, save: SaveArtifact): unknown {
  if (text.length <= MAX_SHOWN) return text;
  const { ref } = save({ kind: "result", title, type, text });
  return {
    text: text.slice(0, MAX_SHOWN),
    ref,
    more: `These are the first ${MAX_SHOWN} of ${text.length} characters. The full text is stored as [${ref}]: continue with read_artifact.`,
  };
}

/** Whether the structured result is just the text in a single field, as in `{ "content": text }`. */
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
