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
  /** Past the limit: keep what is there instead of failing. */
  readonly isCut: boolean;
};

/** What is sent may be this much longer than what it decodes to, and no more. */
const SLACK_BYTES = 64 * 1024;
/** The largest window that RFC 9659 lets a server ask for; without it one header could claim 128 MB. */
const ZSTD_WINDOW_LOG = 23;

type Create = (first: Uint8Array) => Duplex;
const decoders: Readonly<Record<string, Create>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  // Some send what the name says, some what the standard says: a zlib header tells.
  deflate: (first) => (isZlib(first) ? createInflate() : createInflateRaw()),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};

const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;

export const acceptedEncodings = "gzip, deflate, br, zstd";

/** `null` for a body that is sent as it is. Encodings on top of each other are how a bomb is built, so one is all. */
export function toEncoding(header: string | undefined): string | null {
  const name = (header ?? "").trim().toLowerCase();
  if (name === "" || name === "identity") return null;
  if (!Object.hasOwn(decoders, name))
    throw new NetError("encoding", "The answer is encoded in a way that is not read here.");
  return name;
}

/** Never holds more than the limit and one chunk, whatever is sent and whatever it decodes to. */
export async function readBody(
  source: AsyncIterable<Uint8Array>,
  encoding: string | null,
  limits: BodyLimits,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decode(capSent(source, limits), encoding)) {
    size += chunk.length;
    if (size > limits.maxBytes && !limits.isCut) throw tooLarge(limits);
    chunks.push(chunk);
    if (size > limits.maxBytes) break;
  }
  return join(chunks, Math.min(size, limits.maxBytes));
}

/** Bytes of their own: a piece of a shared buffer would hold all of it. */
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
  new NetError("too-large", `The answer is longer than ${maxBytes} bytes.`);

/** Sent bytes that decode to nothing would never reach the other limit. */
async function* capSent(source: AsyncIterable<Uint8Array>, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > limits.maxBytes + SLACK_BYTES && !limits.isCut) throw tooLarge(limits);
    yield chunk;
    if (size > limits.maxBytes + SLACK_BYTES) return;
  }
}

async function* decode(sent: AsyncGenerator<Uint8Array>, encoding: string | null): AsyncGenerator<Uint8Array> {
  if (encoding === null) return yield* sent;
  const { value: first } = await sent.next();
  if (first === undefined) return;
  const decoder = decoders[encoding]?.(first);
  if (decoder === undefined) throw new NetError("encoding", "The answer is encoded in a way that is not read here.");
  const all = async function* (): AsyncGenerator<Uint8Array> {
    yield first;
    yield* sent;
  };
  pipeline(all, decoder, () => {});
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array;
  } catch (cause) {
    if (cause instanceof NetError) throw cause;
    throw new NetError("encoding", "The answer could not be decoded.", { cause });
  }
}
