import { pipeline, type Duplex } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { NetError } from "./net-error.ts";

export type BodyLimits = {
  readonly maxBytes: number;
  /** Truncate at the limit instead of failing. */
  readonly truncate: boolean;
};

/** The encoded body may exceed the decoded limit by this much. */
const SLACK_BYTES = 64 * 1024;
/** The largest window that RFC 9659 allows; without this limit, one header could claim 128 MB. */
const ZSTD_WINDOW_LOG = 23;

type Create = (first: Uint8Array) => Duplex;
const decoders: Readonly<Record<string, Create>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  // Servers send either raw deflate or zlib; the first byte shows which.
  deflate: (first) => (isZlib(first) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};

const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;

export const acceptedEncodings = "gzip, deflate, br, zstd";

/** Returns `null` for an unencoded body. Nested encodings are refused, because decompression bombs use them. */
export function toEncoding(header: string | undefined): string | null {
  const name = (header ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return null;
  if (!Object.hasOwn(decoders, name)) throw new NetError("encoding", "The response has an unsupported encoding.");
  return name;
}

/** Buffers at most the limit plus one chunk, regardless of what is sent and what it decodes to. */
export async function readBody(
  source: AsyncIterable<Uint8Array>,
  encoding: string | null,
  limits: BodyLimits,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decode(capSent(source, limits), encoding)) {
    size += chunk.length;
    if (size > limits.maxBytes && !limits.truncate) throw tooLarge(limits);
    chunks.push(chunk);
    if (size > limits.maxBytes) break;
  }
  return join(chunks, Math.min(size, limits.maxBytes));
}

/** Copies, because a slice would keep the whole shared buffer alive. */
function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk.subarray(0, length - at), at);
    at += chunk.length;
  }
  return all;
}

export const tooLarge = ({ maxBytes }: BodyLimits): NetError =>
  new NetError("too-large", `The response is longer than ${maxBytes} bytes.`);

/** Limits the encoded bytes, which may decode to nothing and so never reach the other limit. */
async function* capSent(source: AsyncIterable<Uint8Array>, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limits.maxBytes + SLACK_BYTES && !limits.truncate) throw tooLarge(limits);
    yield chunk;
    if (size > limits.maxBytes + SLACK_BYTES) return;
  }
}

async function* decode(sent: AsyncGenerator<Uint8Array>, encoding: string | null): AsyncGenerator<Uint8Array> {
  if (encoding === null) return yield* sent;
  const { value: first } = await sent.next();
  if (first === undefined) return;
  const decoder = decoders[encoding]?.(first);
  if (decoder === undefined) throw new NetError("encoding", "The response has an unsupported encoding.");
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first;
    yield* sent;
  };
  pipeline(all, decoder, () => {});
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } catch (cause) {
    if (cause instanceof NetError) throw cause;
    throw new NetError("encoding", "The response could not be decoded.", { cause });
  }
}
