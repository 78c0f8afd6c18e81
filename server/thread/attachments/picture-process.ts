import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { serveParent } from "../../lib/bounded-process-child.ts";
import { fitInto, toJpeg, type Pixels } from "./formats/pixels.ts";
import { Unreadable } from "./formats/unreadable.ts";
import type { PictureRequest, PictureResponse } from "./pictures.ts";

/** Decoding 25 million pixels takes about 250 MB. */
const MEMORY_BYTES = 400 * 1024 * 1024;
const MOST_PIXELS = 25_000_000;

serveParent<PictureRequest, PictureResponse>({ handle, maxBytes: () => MEMORY_BYTES });

const require = createRequire(import.meta.url);

async function handle(request: PictureRequest): Promise<PictureResponse> {
  try {
    const bytes = readFileSync(request.path);
    if (request.do === "recognize")
      return { kind: "text", text: await recognize(await renderPage(bytes, request.page, OCR_SIDE)) };
    const pixels = await decoders[request.format](bytes, request.page, request.side);
    return { kind: "picture", ...(await toJpeg(fitInto(pixels, request.side))) };
  } catch (error) {
    if (error instanceof Unreadable) return { kind: "refused", reason: error.message };
    if (error instanceof Error && "code" in error && String(error.code).endsWith("MODULE_NOT_FOUND"))
      return { kind: "missing" };
    throw error;
  }
}

/** About 200 dots per inch on A4, which Tesseract needs for small print. */
const OCR_SIDE = 2300;

type Decode = (bytes: Buffer, page: number, side: number) => Promise<Pixels>;

const decoders: Readonly<Record<"pdf" | "heic" | "tiff", Decode>> = {
  pdf: renderPage,
  heic: async (bytes) => {
    const { default: load } = await import("libheif-js/libheif-wasm/libheif-bundle.mjs");
    const [image] = new (load().HeifDecoder)().decode(bytes);
    if (!image)
      throw new Unreadable("The file looks like a HEIC image but cannot be read. Save it as JPEG and attach that.");
    const [width, height] = [image.get_width(), image.get_height()];
    checkSize(width, height);
    const data = new Uint8ClampedArray(width * height * 4);
    await new Promise<void>((resolve, reject) => {
      image.display({ data, width, height }, (shown) =>
        shown
          ? resolve()
          : reject(new Unreadable("The file is a damaged HEIC image. Save it as JPEG and attach that.")),
      );
    });
    return { data, width, height };
  },
  tiff: async (bytes, page) => {
    const { default: tiff } = await import("utif2");
    const images = tiff.decode(bytes).filter((image) => image["t256"] !== undefined && image["t257"] !== undefined);
    const image = images[page - 1];
    if (!image)
      throw new Unreadable("The file looks like a TIFF image but cannot be read. Save it as PNG and attach that.");
    checkSize(Number((image["t256"] as number[])[0]), Number((image["t257"] as number[])[0]));
    tiff.decodeImage(bytes, image);
    const data = tiff.toRGBA8(image);
    return {
      data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength),
      width: image.width,
      height: image.height,
    };
  },
};

function checkSize(width: number, height: number): void {
  if (!(width > 0 && height > 0)) throw new Unreadable("The file is an empty image.");
  if (width * height > MOST_PIXELS)
    throw new Unreadable(
      `The file has ${Math.round((width * height) / 1e6)} million pixels; at most ${MOST_PIXELS / 1e6} million can be read. Make it smaller.`,
    );
}

/** Compiling it takes longer than drawing a page. */
let library: ReturnType<typeof startPdfium> | undefined;
const startPdfium = async () => (await import("@hyzyla/pdfium")).PDFiumLibrary.init();

async function renderPage(bytes: Buffer, page: number, side: number): Promise<Pixels> {
  const document = await (await (library ??= startPdfium())).loadDocument(bytes);
  const found = document.getPage(page - 1);
  const { originalWidth, originalHeight } = found.getOriginalSize();
  const scale = side / Math.max(1, originalWidth, originalHeight);
  let pixels: Pixels | undefined;
  await found.render({
    scale,
    render: async ({ data, width, height }) => {
      pixels = { data: new Uint8ClampedArray(data), width, height };
      return data;
    },
  });
  document.destroy();
  if (!pixels) throw new Unreadable("The file has a page that cannot be shown.");
  return pixels;
}

let engine: ReturnType<typeof startEngine> | undefined;

async function recognize(pixels: Pixels): Promise<string> {
  engine ??= startEngine();
  const ready = await engine;
  ready.loadImage(pixels);
  return ready.getText();
}

async function startEngine() {
  const { createOCREngine } = await import("tesseract-wasm");
  const wasmBinary = readFileSync(require.resolve("tesseract-wasm").replace("lib.js", "tesseract-core.wasm"));
  const language = require.resolve("@tesseract.js-data/eng").replace("index.js", "4.0.0_best_int/eng.traineddata.gz");
  const started = await createOCREngine({ wasmBinary });
  started.loadModel(gunzipSync(readFileSync(language)));
  return started;
}
