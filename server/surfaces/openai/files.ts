import { createHash } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Fetch } from "../../net/fetch.ts";
import { NetError } from "../../net/fetch.ts";
import type { Attachments } from "../../thread/attachments/attachments.ts";
import type { FileInput, Item, UserItem } from "./items.ts";

type Deps = {
  readonly attachments: Pick<Attachments, "add">;
  readonly fetch: Fetch;
  readonly ids: Ids;
  readonly uploadsDir: string;
};

/** `added` receives the id of every stored file, even if a later file fails. */
type Target = { readonly principal: Principal; readonly threadId: string; readonly added: string[] };

/** Stores the files of all messages in the thread. Returns the attachment ids of a message. */
export async function storeFiles(
  deps: Deps,
  { principal, threadId, added }: Target,
  items: readonly Item[],
): Promise<(item: UserItem) => readonly string[]> {
  const stored = new Map<UserItem, readonly string[]>();
  const count = items.reduce((sum, item) => sum + (item.role === "user" ? item.files.length : 0), 0);
  if (count > attachmentLimits.perMessage)
    throw new ApiError("invalid", `A request may have at most ${attachmentLimits.perMessage} new files.`);
  for (const item of items) {
    if (item.role !== "user" || item.files.length === 0) continue;
    const ids: string[] = [];
    for (const file of item.files) {
      const id = await storeFile(deps, principal, threadId, file);
      ids.push(id);
      added.push(id);
    }
    stored.set(item, ids);
  }
  return (item) => [...(item.attached ?? []), ...(stored.get(item) ?? [])];
}

async function storeFile(deps: Deps, principal: Principal, threadId: string, file: FileInput): Promise<string> {
  const { bytes, type } = file.url.startsWith("data:") ? decode(file.url) : await download(deps.fetch, file.url);
  const name = /\.\w{1,8}$/.test(file.name) ? file.name : `${file.name}${extensions[type] ?? ""}`;
  const path = join(deps.uploadsDir, deps.ids.next());
  const hash = createHash("sha256").update(bytes).digest("hex");
  try {
    await writeFile(path, bytes, { mode: 0o600, flag: "wx" });
    const received = { path, sizeBytes: bytes.byteLength, hash };
    return (await deps.attachments.add(principal, { name, threadId, file: received })).id;
  } finally {
    await rm(path, { force: true });
  }
}

const extensions: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/webp": ".webp",
  "image/gif": ".gif",
  "application/pdf": ".pdf",
  "text/plain": ".txt",
};

function decode(url: string): { readonly bytes: Uint8Array; readonly type: string } {
  const comma = url.indexOf(",");
  const head = url.slice("data:".length, Math.max(comma, 0));
  if (comma < 0 || !head.endsWith(";base64")) throw new ApiError("invalid", "A data URL must be encoded as base64.");
  const [type = ""] = head.split(";", 1);
  return { bytes: Buffer.from(url.slice(comma + 1), "base64"), type: type.toLowerCase() };
}

/** Addresses are checked before connecting, as for pages that tools read. */
async function download(fetch: Fetch, url: string) {
  try {
    const { status, body, type } = await fetch(url, { maxBytes: attachmentLimits.fileBytes });
    if (status !== 200)
      throw new ApiError("invalid", `The file could not be downloaded: its server responded with ${status}.`);
    return { bytes: body, type };
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    throw new ApiError("invalid", `The file could not be downloaded: ${error.message}`);
  }
}
