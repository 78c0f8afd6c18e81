import { promisify } from "node:util";
import { inflate } from "node:zlib";

/** Of one stream, unpacked. A page of a book needs a hundredth of it. */
const MOST_BYTES = 50_000_000;
/** Nothing grows by more than this. */
const MOST_GROWTH = 1032;

const unpack = promisify(inflate);

/** Whether a stream in a PDF grows beyond all use. Only those long enough are tried, and no further than the limit. */
export async function unpacksTooFar(bytes: Buffer): Promise<boolean> {
  for (let at = bytes.indexOf("stream"); at >= 0; at = bytes.indexOf("stream", at + 6)) {
    const isEnd = bytes.subarray(at - 3, at).toString("latin1") === "end";
    if (isEnd) continue;
    const start = at + 6 + (bytes[at + 6] === 0x0d ? 2 : 1);
    const end = bytes.indexOf("endstream", start);
    const packed = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (packed.length * MOST_GROWTH < MOST_BYTES) continue;
    if (await isTooFar(packed)) return true;
  }
  return false;
}

/** A stream that is packed in another way, or broken, is the reader's to judge. */
const isTooFar = (packed: Buffer): Promise<boolean> =>
  unpack(packed, { maxOutputLength: MOST_BYTES }).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ERR_BUFFER_TOO_LARGE",
  );
