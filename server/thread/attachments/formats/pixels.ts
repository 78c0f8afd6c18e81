import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Red, green, blue and alpha of each pixel, one byte each. */
export type Pixels = { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number };
type Jpeg = { readonly bytes: Uint8Array; readonly width: number; readonly height: number };

/** Scales down by averaging, so that neither side is longer than `side`. */
export function fitInto(pixels: Pixels, side: number): Pixels {
  const { width, height } = pixels;
  const scale = side / Math.max(width, height);
  if (scale >= 1) return pixels;
  const [toWidth, toHeight] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const data = new Uint8ClampedArray(toWidth * toHeight * 4);
  for (let y = 0; y < toHeight; y += 1) {
    const [top, bottom] = [Math.floor((y * height) / toHeight), Math.ceil(((y + 1) * height) / toHeight)];
    for (let x = 0; x < toWidth; x += 1) {
      const [left, right] = [Math.floor((x * width) / toWidth), Math.ceil(((x + 1) * width) / toWidth)];
      average(pixels, { left, right, top, bottom }, data, (y * toWidth + x) * 4);
    }
  }
  return { data, width: toWidth, height: toHeight };
}

type Area = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

function average(
  { data, width }: Pixels,
  { left, right, top, bottom }: Area,
  into: Uint8ClampedArray,
  to: number,
): void {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let row = top; row < bottom; row += 1) {
    for (let at = (row * width + left) * 4; at < (row * width + right) * 4; at += 4) {
      red += data[at] ?? 0;
      green += data[at + 1] ?? 0;
      blue += data[at + 2] ?? 0;
      alpha += data[at + 3] ?? 0;
    }
  }
  const count = (bottom - top) * (right - left);
  into.set([red / count, green / count, blue / count, alpha / count], to);
}

const QUALITY = 82;
let isStarted = false;

/** Transparent areas become white, as JPEG has no transparency. */
export async function toJpeg({ data, width, height }: Pixels): Promise<Jpeg> {
  const { default: encode, init } = await import("@jsquash/jpeg/encode.js");
  if (!isStarted) {
    const wasm = createRequire(import.meta.url).resolve("@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm");
    await init(await WebAssembly.compile(readFileSync(wasm)));
    isStarted = true;
  }
  for (let at = 3; at < data.length; at += 4) {
    const alpha = data[at] ?? 255;
    if (alpha === 255) continue;
    for (let channel = at - 3; channel < at; channel += 1)
      data[channel] = 255 - ((255 - (data[channel] ?? 255)) * alpha) / 255;
    data[at] = 255;
  }
  const bytes = await encode({ data, width, height }, { quality: QUALITY });
  return { bytes: new Uint8Array(bytes), width, height };
}
