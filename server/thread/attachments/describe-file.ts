import { readFile } from "node:fs/promises";
import { ApiError, type ApiErrorCode } from "../../../protocol/errors.ts";
import { createBoundedProcess, LimitExceeded } from "../../lib/bounded-process.ts";
import { detect } from "./detect.ts";
import type { Image } from "./image-size.ts";
import { readText } from "./read-text.ts";

/** What a file is by its content, with its text. */
export type FileContent =
  | ({ readonly kind: "image" } & Image)
  | { readonly kind: "text"; readonly mediaType: string; readonly text: string };

export type FileQuestion = { readonly path: string; readonly name: string; readonly sizeBytes: number };
export type FileAnswer =
  | FileContent
  | { readonly kind: "refused"; readonly code: ApiErrorCode; readonly message: string };

/** Apart from the process that reads pages of the web: neither waits for the other. */
const reader = createBoundedProcess<FileQuestion, FileAnswer>({
  file: new URL("./file-process.ts", import.meta.url),
  timeoutMs: 8_000,
});

/** Up to this size, pictures and plain text are looked at right here. */
const SMALL_BYTES = 256 * 1024;

/** Refuses what cannot be attached, with the reason and what to do instead. */
export async function describeFile(question: FileQuestion): Promise<FileContent> {
  const known = question.sizeBytes <= SMALL_BYTES ? await describeSmall(question) : undefined;
  if (known) return known;
  const { name } = question;
  const answer = await reader.request(question).catch((error: unknown) => {
    const limit = error instanceof LimitExceeded ? error.limit : "crash";
    throw new ApiError("unsupported", `${name} ${reasons[limit]} Attach its text instead.`);
  });
  if (answer.kind === "refused") throw new ApiError(answer.code, answer.message);
  return answer;
}

const reasons = {
  memory: "needs more memory to be read than allowed.",
  time: "takes longer to be read than allowed.",
  crash: "could not be read: it is broken or locked.",
} as const;

/** Undefined: a PDF or a page, which only the other process reads. */
async function describeSmall({ path, name }: FileQuestion): Promise<FileContent | undefined> {
  const found = detect(await readFile(path), name);
  if (found.kind === "image") return found;
  if (found.read !== "plain") return undefined;
  const text = await readText(found, name, () => Promise.reject(new Error("not plain text")));
  return { kind: "text", mediaType: found.mediaType, text };
}
