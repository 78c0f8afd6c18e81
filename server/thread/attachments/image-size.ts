import type { ImageType } from "../../../protocol/attachment-limits.ts";

export type Image = { readonly mediaType: ImageType; readonly width: number; readonly height: number };

/** Image type by signature and size by header. Undefined: not a supported image. */
export function readImage(bytes: Buffer): Image | undefined | "broken" {
  const found = formats.find(({ matches }) => matches(bytes));
  if (found === undefined) return undefined;
  const size = found.sizeOf(bytes);
  if (size === undefined || size.width < 1 || size.height < 1) return "broken";
  return { mediaType: found.mediaType, ...size };
}

type Size = { readonly width: number; readonly height: number };
type ImageFormat = {
  readonly mediaType: ImageType;
  readonly matches: (bytes: Buffer) => boolean;
  readonly sizeOf: (bytes: Buffer) => Size | undefined;
};

const startsWith = (bytes: Buffer, start: string, at = 0): boolean =>
  bytes.subarray(at, at + start.length).toString("latin1") === start;

const formats: readonly ImageFormat[] = [
  {
    mediaType: "image/png",
    matches: (bytes) => startsWith(bytes, "\x89PNG\r\n\x1a\n"),
    sizeOf: (bytes) =>
      bytes.length >= 33 && startsWith(bytes, "IHDR", 12)
        ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
        : undefined,
  },
  { mediaType: "image/jpeg", matches: (bytes) => startsWith(bytes, "\xff\xd8\xff"), sizeOf: sizeOfJpeg },
  {
    mediaType: "image/gif",
    matches: (bytes) => startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a"),
    sizeOf: (bytes) =>
      bytes.length >= 13 ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined,
  },
  {
    mediaType: "image/webp",
    matches: (bytes) => startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8),
    sizeOf: sizeOfWebp,
  },
];

/** Skips from segment to segment up to the frame header, without scanning the data between. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    const length = isAlone ? 0 : bytes.readUInt16BE(at + 2);
    if (!isAlone && length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}

function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  if (startsWith(bytes, "VP8X", 12)) return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (startsWith(bytes, "VP8L", 12)) {
    const bits = bytes.readUInt32LE(21);
    return bytes[20] === 0x2f ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : undefined;
  }
  if (!startsWith(bytes, "VP8 ", 12) || bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
