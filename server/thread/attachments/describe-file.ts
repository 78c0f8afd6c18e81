import { readFile } from "node:fs/promises";
import { ApiError, type ApiErrorCode } from "../../../protocol/errors.ts";
import { createBoundedProcess, LimitExceeded } from "../../lib/bounded-process.ts";
import { detect } from "./detect.ts";
import { convert, readPages } from "./pages.ts";
import type { Picture } from "./pictures.ts";
import type { Image } from "./image-size.ts";
import { readText } from "./read-text.ts";

/** A file's type, detected from its content, with its text. */
export type FileContent =
  | ({ readonly kind: "image" } & Image)
  | { readonly kind: "convert"; readonly format: "heic" | "tiff"; readonly mediaType: string }
  | {
      readonly kind: "text";
      readonly mediaType: string;
      readonly text: string;
      /** Text of each page of a PDF. */
      readonly pages?: readonly string[];
      readonly pageCount?: number;
    };

export type FileRequest = { readonly path: string; readonly name: string; readonly sizeBytes: number };
export type FileResponse =
  | FileContent
  | { readonly kind: "refused"; readonly code: ApiErrorCode; readonly message: string };

/** Separate from the process that reads web pages, so that neither delays the other. */
const reader = createBoundedProcess<FileRequest, FileResponse>({
  file: new URL("./file-process.ts", import.meta.url),
  timeoutMs: 8_000,
});

/** Images and plain text up to this size are read in this process. */
const SMALL_BYTES = 256 * 1024;

/** A file with the pictures that were made from it. */
export type DescribedFile = {
  readonly kind: "image" | "text";
  readonly mediaType: string;
  readonly text: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly pageCount: number | null;
  readonly pictures: readonly PagePicture[];
};
export type PagePicture = Picture & { readonly page: number };

/** Throws an ApiError with a reason for files that cannot be attached. */
export async function describeFile(request: FileRequest): Promise<DescribedFile> {
  const found = await readContent(request);
  const rest = { width: null, height: null, pageCount: null, pictures: [] };
  if (found.kind === "image") return { ...rest, ...found, text: "" };
  if (found.kind === "convert") return convert(request, found);
  if (found.pages === undefined) return { ...rest, ...found };
  const { text, pictures } = await readPages(request, found.pages, found.pageCount ?? found.pages.length);
  return { ...rest, kind: "text", mediaType: found.mediaType, text, pictures, pageCount: found.pageCount ?? null };
}

async function readContent(question: FileRequest): Promise<FileContent> {
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

/** Undefined for documents, which only the other process reads. */
async function describeSmall({ path, name }: FileRequest): Promise<FileContent | undefined> {
  const found = detect(await readFile(path), name);
  if (found.kind === "image") return found;
  if (found.kind !== "text" || found.read !== "plain") return undefined;
  return { kind: "text", ...(await readText(found, name, () => Promise.reject(new Error("Not plain text.")))) };
}
