import type { IncomingMessage } from "node:http";
import { limits } from "../../protocol/api.ts";
import { Refusal } from "../../protocol/errors.ts";

type Source = {
  readonly request: Request;
  /** Node's own request, when there is one: reading it directly spares two streams. */
  readonly incoming: IncomingMessage | undefined;
  readonly timeoutMs: number;
};

/**
 * Reads a JSON object and nothing else: the right type, no more than the limit however it is sent, in time, in UTF-8. It
 * never says what the body held. `undefined` when there is neither a body nor a type, which only some routes accept.
 */
export async function readBody({ request, incoming, timeoutMs }: Source): Promise<object | undefined> {
  const type = request.headers.get("content-type");
  const length = request.headers.get("content-length");
  if (type === null && (length === "0" || (length === null && !request.headers.has("transfer-encoding")))) {
    if (incoming !== undefined || request.body === null) return undefined;
  }
  assertJson(type, request.headers.get("content-encoding"));
  if (Number(length ?? 0) > limits.bodyBytes) throw tooLarge();

  const chunks = incoming?.iterator({ destroyOnReturn: false }) ?? request.body ?? [];
  const bytes = await withDeadline(collect(chunks), timeoutMs);
  return parseObject(decode(bytes));
}

type FileSource = Source & { readonly most: number };

/** A file as it is: bytes that call themselves so, no more than the limit however they are sent, in time. */
export async function readFile({ request, incoming, timeoutMs, most }: FileSource): Promise<Buffer> {
  if (request.headers.get("content-type") !== "application/octet-stream")
    throw new Refusal("unsupported", "Send the file as it is, as application/octet-stream.");
  assertPlain(request.headers.get("content-encoding"));
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge(most);
  const chunks = incoming?.iterator({ destroyOnReturn: false }) ?? request.body ?? [];
  return withDeadline(collect(chunks, most), timeoutMs);
}

function assertPlain(encoding: string | null): void {
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new Refusal("unsupported", "Send the body without a content encoding.");
  }
}

function assertJson(type: string | null, encoding: string | null): void {
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? "")) {
    throw new Refusal("unsupported", "Send the body as application/json in UTF-8.");
  }
  assertPlain(encoding);
}

async function collect(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number = limits.bodyBytes,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.byteLength;
      if (size > most) throw tooLarge(most);
      parts.push(chunk);
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal("invalid", "The body broke off before its end.");
  }
  return Buffer.concat(parts, size);
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal("invalid", "The body came too slowly.")), timeoutMs);
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
    throw new Refusal("invalid", "The body is not valid UTF-8.");
  }
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal("invalid", "The body is not valid JSON.");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Refusal("invalid", "The body is not a JSON object.");
}

const tooLarge = (most: number = limits.bodyBytes): Refusal =>
  new Refusal("too-large", `A body may hold at most ${most.toLocaleString("en")} bytes.`);
