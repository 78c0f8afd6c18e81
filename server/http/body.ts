import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { limits } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";

type Source = {
  readonly request: Request;
  /** Node's request, if there is one. Reading it directly avoids two web streams. */
  readonly incoming: IncomingMessage | undefined;
  readonly timeoutMs: number;
  /** Largest size in bytes, if it is not the usual one. */
  readonly most?: number;
};

/**
 * Reads a JSON object. Checks content type, size, time and UTF-8. Errors never contain text of the body. Returns undefined if
 * there is neither a body nor a content type, which only some routes accept.
 */
export async function readBody({
  request,
  incoming,
  timeoutMs,
  most = limits.bodyBytes,
}: Source): Promise<object | undefined> {
  const type = request.headers.get("content-type");
  const length = request.headers.get("content-length");
  if (type === null && (length === "0" || (length === null && !request.headers.has("transfer-encoding")))) {
    if (incoming !== undefined || request.body === null) return undefined;
  }
  assertJson(type, request.headers.get("content-encoding"));
  if (Number(length ?? 0) > most) throw tooLarge(most);

  const chunks = incoming?.iterator({ destroyOnReturn: false }) ?? request.body ?? [];
  const bytes = await withDeadline(collect(chunks, most), timeoutMs);
  return parseObject(decode(bytes));
}

type FileSource = Source & {
  readonly most: number;
  /** Target file; must not exist yet. */
  readonly path: string;
};

/**
 * Streams an uploaded file to disk with backpressure, so that it is never in memory as a whole. Checks content type, size and
 * time.
 */
export async function receiveFile(source: FileSource): Promise<{ readonly sizeBytes: number; readonly hash: string }> {
  const { request, incoming, timeoutMs, most, path } = source;
  if (request.headers.get("content-type") !== "application/octet-stream")
    throw new ApiError("unsupported", "Send the file as application/octet-stream.");
  assertPlain(request.headers.get("content-encoding"));
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge(most);
  const chunks = incoming?.iterator({ destroyOnReturn: false }) ?? request.body ?? [];
  return withDeadline(writeFile(chunks, path, most), timeoutMs);
}

async function writeFile(chunks: Chunks, path: string, most: number) {
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600).catch(toStorageFull);
  try {
    const sizeBytes = await readChunks(chunks, most, async (chunk) => {
      hash.update(chunk);
      await file.writeFile(chunk).catch(toStorageFull);
    });
    return { sizeBytes, hash: hash.digest("hex") };
  } finally {
    await file.close();
  }
}

function toStorageFull(error: NodeJS.ErrnoException): never {
  if (error.code === "ENOSPC" || error.code === "EDQUOT")
    throw new ApiError("storage-full", "The server's disk is full. Free some space and try again.");
  throw error;
}

function assertPlain(encoding: string | null): void {
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new ApiError("unsupported", "Send the body without a content encoding.");
  }
}

function assertJson(type: string | null, encoding: string | null): void {
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? "")) {
    throw new ApiError("unsupported", "Send the body as application/json in UTF-8.");
  }
  assertPlain(encoding);
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

async function collect(chunks: Chunks, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const size = await readChunks(chunks, most, (chunk) => void parts.push(chunk));
  return Buffer.concat(parts, size);
}

/** Passes on each chunk up to the limit and returns the total size. */
async function readChunks(
  chunks: Chunks,
  most: number,
  onChunk: (chunk: Uint8Array) => Promise<void> | void,
): Promise<number> {
  let size = 0;
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  for (;;) {
    const { value, done } = await Promise.resolve(iterator.next()).catch(() => {
      throw new ApiError("invalid", "The request body ended early. Send the request again.");
    });
    if (done) return size;
    size += value.byteLength;
    if (size > most) {
      await iterator.return?.();
      throw tooLarge(most);
    }
    await onChunk(value);
  }
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ApiError("invalid", "The request body took too long. Try again with a faster connection.")),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

const strict = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    throw new ApiError("invalid", "The body is not valid UTF-8.");
  }
}

/** A large body is large because of files. Parsing one of many small values would block the server for seconds. */
const MOST_VALUES = 200_000;

function assertFewValues(text: string): void {
  if (text.length <= limits.bodyBytes) return;
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
      if (++count > MOST_VALUES) throw new ApiError("too-large", "The request body has too many objects and lists.");
    }
  }
}

function parseObject(text: string): object {
  assertFewValues(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError("invalid", "The body is not valid JSON.");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new ApiError("invalid", "The body is not a JSON object.");
}

const tooLarge = (most: number): ApiError =>
  new ApiError("too-large", `The request body may have at most ${most.toLocaleString("en")} bytes.`);
