/** Packages without usable types, as far as they are used here. */
declare module "libheif-js/libheif-wasm/libheif-bundle.mjs" {
  type Canvas = { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number };
  type HeifImage = {
    readonly get_width: () => number;
    readonly get_height: () => number;
    readonly display: (into: Canvas, done: (shown: Canvas | null) => void) => void;
  };
  export default function load(): {
    readonly HeifDecoder: new () => { readonly decode: (bytes: Uint8Array) => readonly HeifImage[] };
  };
}

declare module "tesseract-wasm" {
  type Engine = {
    readonly loadModel: (model: Uint8Array) => void;
    readonly loadImage: (image: {
      readonly data: Uint8ClampedArray;
      readonly width: number;
      readonly height: number;
    }) => void;
    readonly getText: () => string;
  };
  export function createOCREngine(options: { readonly wasmBinary: Uint8Array }): Promise<Engine>;
}

declare module "@jsquash/jpeg/encode.js" {
  type Image = { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number };
  export function init(module: object): Promise<void>;
  export default function encode(image: Image, options: { readonly quality: number }): Promise<ArrayBuffer>;
}

declare namespace WebAssembly {
  function compile(bytes: Uint8Array): Promise<object>;
}
