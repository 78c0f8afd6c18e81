import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import type { UiMessage, UiPart } from "../../../protocol/surfaces/chats.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Turn } from "./turn.ts";
import { findAttachmentId } from "./ui-message.ts";

/** Stores the files of a message as attachments and returns their ids. A file that came from us is named by its id. */
export async function storeFiles(turn: Turn, { parts }: UiMessage): Promise<readonly string[]> {
  const files = parts.filter(({ type }) => type === "file");
  if (files.length > attachmentLimits.perMessage) {
    throw new ApiError("too-large", `A message can have at most ${attachmentLimits.perMessage} files.`);
  }
  const ids: string[] = [];
  for (const file of files) ids.push(await storeFile(turn, file));
  return ids;
}

async function storeFile({ attachments, principal, thread, ids, uploadsDir }: Turn, part: UiPart): Promise<string> {
  const url = typeof part["url"] === "string" ? part["url"] : "";
  const known = findAttachmentId(url);
  if (known !== undefined) return known;
  const { bytes, mediaType } = parseDataUrl(url);
  const name = typeof part["filename"] === "string" && part["filename"] !== "" ? part["filename"] : nameOf(mediaType);
  if (bytes.length > attachmentLimits.fileBytes) {
    const most = attachmentLimits.fileBytes.toLocaleString("en");
    throw new ApiError("too-large", `A file can have at most ${most} bytes.`);
  }
  const path = join(uploadsDir, ids.next());
  try {
    await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
    const file = { path, sizeBytes: bytes.length, hash: createHash("sha256").update(bytes).digest("hex") };
    return (await attachments.add(principal, { name, threadId: thread.id, file })).id;
  } finally {
    await rm(path, { force: true });
  }
}

const nameOf = (mediaType: string): string => {
  const [kind = "file", sub = ""] = mediaType.split("/");
  return /^[\w-]{1,10}$/.test(sub) ? `${kind}.${sub === "plain" ? "txt" : sub}` : kind;
};

function parseDataUrl(url: string): { readonly bytes: Buffer; readonly mediaType: string } {
  const comma = url.indexOf(",");
  const head = url.slice(0, Math.min(comma, 500));
  if (!head.startsWith("data:") || comma === -1) {
    throw new ApiError("unsupported", "Send files as data URLs. Other addresses are not loaded.");
  }
  const [mediaType = ""] = head.slice("data:".length).split(";", 1);
  const body = url.slice(comma + 1);
  if (head.endsWith(";base64")) return { bytes: Buffer.from(body, "base64"), mediaType };
  try {
    return { bytes: Buffer.from(decodeURIComponent(body)), mediaType };
  } catch {
    throw new ApiError("invalid", "A data URL is not valid.");
  }
}
