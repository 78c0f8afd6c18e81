import { readFileSync } from "node:fs";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { serveParent } from "../../lib/bounded-process-child.ts";
import { readPage, toMemory } from "../../tools/web/extract/read-page.ts";
import type { FileResponse, FileRequest } from "./describe-file.ts";
import { detect } from "./detect.ts";
import { readText, type ReadDocument } from "./read-text.ts";

serveParent<FileRequest, FileResponse>({ handle, maxBytes: ({ sizeBytes }) => toMemory(sizeBytes) });

async function handle({ path, name }: FileRequest): Promise<FileResponse> {
  const bytes = readFileSync(path);
  const readDocument: ReadDocument = async (file) => {
    const text = "text" in file ? file.text : "";
    const source = { body: bytes, text, type: file.mediaType, url: "" };
    // One character more than the limit, so that longer text is detected.
    return (await readPage(source, attachmentLimits.textCharacters + 1)).markdown;
  };
  try {
    const found = detect(bytes, name);
    if (found.kind === "image") return found;
    return { kind: "text", mediaType: found.mediaType, text: await readText(found, name, readDocument) };
  } catch (error) {
    if (error instanceof ApiError) return { kind: "refused", code: error.code, message: error.message };
    throw error;
  }
}
