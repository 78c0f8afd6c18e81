import type { Socket } from "node:net";
import { promisify } from "node:util";
import { brotliCompress, constants, createDeflateRaw, gzipSync, zstdCompressSync } from "node:zlib";
import type { FetchInit, NetErrorCode } from "../../server/net/fetch.ts";

/** Answers that are meant to hurt, as a server writes them on its socket after it has read a request. */
export type Bomb = {
  readonly name: string;
  readonly code: NetErrorCode;
  readonly send: (socket: Socket) => void;
  readonly init?: FetchInit;
  /** Ends by silence: needs a fetch with a short patience. */
  readonly isSilent?: boolean;
};

const MEGABYTE = 1024 * 1024;
const zeros = Buffer.alloc(MEGABYTE);
const ok = (...headers: readonly string[]): string => ["HTTP/1.1 200 OK", ...headers, "", ""].join("\r\n");

/** Writes pieces until the other side has gone, never faster than it reads. */
export function pour(socket: Socket, piece: string | Uint8Array, times = Infinity): void {
  let left = times;
  const go = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(piece)) return void socket.once("drain", go);
    }
    if (left === 0) socket.end();
  };
  go();
}

function drip(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 10);
  socket.once("close", () => clearInterval(timer));
}

const chunkOf = (bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);

const simple = (name: string, code: NetErrorCode, bytes: string | Uint8Array): Bomb => ({
  name,
  code,
  send: (socket) => void socket.end(bytes),
});

const endless = (name: string, code: NetErrorCode, start: string, piece: string | Uint8Array): Bomb => ({
  name,
  code,
  send: (socket) => {
    socket.write(start);
    pour(socket, piece);
  },
});

/** A thousand to one: `megabytes` of zeros in as many members. */
export const sendGzipBomb = (socket: Socket, megabytes: number): void => {
  socket.write(ok("content-encoding: gzip"));
  pour(socket, gzipSync(zeros), megabytes);
};

/** A frame that asks for a window of 2^`windowLog` bytes, with one block of 1000 zeros. */
export const toZstdFrame = (windowLog: number): Buffer =>
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3, ...[((1000 << 3) | 3) & 0xff, 1000 >> 5, 0], 0]);

const silent = (name: string, start: string): Bomb => ({
  name,
  code: "timeout",
  isSilent: true,
  send: (socket) => void socket.write(start),
});

const dripping = (name: string, start: string, piece: string): Bomb => ({
  name,
  code: "timeout",
  init: { timeoutMs: 300 },
  send: (socket) => {
    socket.write(start);
    drip(socket, piece);
  },
});

const encoded = (name: string, encoding: string, body: Uint8Array): Bomb =>
  simple(name, "too-large", Buffer.concat([Buffer.from(ok(`content-encoding: ${encoding}`)), body]));

const toDeflated = async (megabytes: number): Promise<Buffer> => {
  const stream = createDeflateRaw({ level: 1 });
  for (let n = 0; n < megabytes; n += 1) stream.write(zeros);
  stream.end();
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

export async function createBombs(): Promise<readonly Bomb[]> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
  const brotli = await promisify(brotliCompress)(Buffer.alloc(32 * MEGABYTE), { params });
  const deflated = await toDeflated(32);
  const zipped = gzipSync(gzipSync(zeros));
  const twice = (headers: readonly string[]): Buffer => Buffer.concat([Buffer.from(ok(...headers)), zipped]);
  const chunkHead = ok("transfer-encoding: chunked");

  return [
    { name: "a gzip bomb of a gigabyte", code: "too-large", send: (socket) => sendGzipBomb(socket, 1024) },
    encoded("a brotli bomb", "br", brotli),
    encoded("a deflate bomb", "deflate", deflated),
    encoded("a zstd bomb", "zstd", Buffer.concat(Array.from({ length: 32 }, () => zstdCompressSync(zeros)))),
    encoded(
      "a gzip bomb under its old name",
      "x-gzip",
      Buffer.concat(Array.from({ length: 32 }, () => gzipSync(zeros))),
    ),
    simple(
      "a zstd window of 128 MB",
      "encoding",
      Buffer.concat([Buffer.from(ok("content-encoding: zstd")), toZstdFrame(27)]),
    ),
    endless(
      "gzip that decodes to nothing, without end",
      "too-large",
      ok("content-encoding: gzip"),
      Buffer.concat(Array.from({ length: 500 }, () => gzipSync(""))),
    ),
    simple("two encodings in one header", "encoding", twice(["content-encoding: gzip, gzip"])),
    simple("two encodings in two headers", "encoding", twice(["content-encoding: gzip", "content-encoding: gzip"])),
    simple("a hundred encodings", "encoding", twice([`content-encoding: ${Array(100).fill("gzip").join(",")}`])),
    simple("an encoding nobody knows", "encoding", twice(["content-encoding: constructor"])),
    simple(
      "an encoding of the transfer",
      "encoding",
      Buffer.concat([Buffer.from(ok("transfer-encoding: gzip, chunked")), chunkOf(zipped), Buffer.from("0\r\n\r\n")]),
    ),
    simple("an encoding that is none", "encoding", ok("content-encoding: br") + "not brotli at all, by any means"),
    simple(
      "gzip that breaks off",
      "encoding",
      Buffer.concat([Buffer.from(ok("content-encoding: gzip")), gzipSync("words ".repeat(99)).subarray(0, 30)]),
    ),
    endless("a body without end", "too-large", ok(), zeros),
    endless("chunks without end", "too-large", chunkHead, chunkOf(zeros)),
    endless("one line without end", "too-large", ok("content-type: text/html"), "<p>".repeat(20_000)),
    simple("a length of a terabyte", "too-large", ok("content-length: 1099511627776")),
    dripping("a body that drips", ok(), "a"),
    dripping("chunks that drip", chunkHead, "1\r\na\r\n"),
    dripping("headers that drip", "HTTP/1.1 200 OK\r\n", "x"),
    silent("silence", ""),
    silent("silence after the headers", ok("content-length: 10")),
    silent("silence within the body", ok("content-length: 10") + "half"),
    silent("silence within gzip", ok("content-encoding: gzip") + "\x1f"),
    endless("headers without end", "too-large", "HTTP/1.1 200 OK\r\n", "x-a: a\r\n".repeat(1000)),
    endless("a header without end", "too-large", "HTTP/1.1 200 OK\r\nx-a: ", "a".repeat(10_000)),
    endless("a header's name without end", "too-large", "HTTP/1.1 200 OK\r\n", "a".repeat(10_000)),
    simple("a header of a megabyte", "too-large", `HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(MEGABYTE)}\r\n\r\n`),
    endless("trailers without end", "too-large", `${chunkHead}0\r\n`, "x-a: a\r\n".repeat(1000)),
    endless("an extension of a chunk without end", "protocol", `${chunkHead}1;`, "a".repeat(10_000)),
    endless("a status line without end", "too-large", "HTTP/1.1 200 ", "a".repeat(10_000)),
    endless("announcements without end", "protocol", "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(500)),
    simple("a length longer than the body", "protocol", ok("content-length: 100") + "short"),
    simple("two lengths", "protocol", ok("content-length: 5", "content-length: 6") + "words!"),
    simple("a length and chunks", "protocol", ok("content-length: 5", "transfer-encoding: chunked") + "0\r\n\r\n"),
    simple("a length that is no number", "protocol", ok("content-length: -5") + "words"),
    simple("chunks that break off", "protocol", `${chunkHead}a\r\nhalf`),
    simple("a chunk larger than any number", "protocol", `${chunkHead}${"f".repeat(40)}\r\nwords`),
    simple("a protocol that is not HTTP", "protocol", "SSH-2.0-OpenSSH_9.2\r\n"),
    endless("noise without end", "protocol", "", Buffer.alloc(10_000, 0xa5)),
    simple(
      "a change of protocol",
      "protocol",
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
    ),
    simple("nothing", "protocol", ""),
    { name: "a reset", code: "protocol", send: (socket) => void socket.resetAndDestroy() },
    simple(
      "a redirect to itself",
      "too-many-redirects",
      "HTTP/1.1 302 Found\r\nlocation: ?\r\ncontent-length: 0\r\n\r\n",
    ),
    endless(
      "a redirect with a body without end",
      "too-many-redirects",
      "HTTP/1.1 307 Found\r\nlocation: ?\r\n\r\n",
      zeros,
    ),
  ];
}
