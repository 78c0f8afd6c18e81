import { createBoundedProcess, LimitExceeded, type BoundedProcess } from "../../lib/bounded-process.ts";

/** Pictures for models that see and for the viewer: pages of a PDF, and photos in formats that no provider takes. */
export type PictureFormat = "pdf" | "heic" | "tiff";
type DrawRequest = {
  readonly do: "show";
  readonly path: string;
  readonly format: PictureFormat;
  readonly page: number;
  readonly side: number;
};
type OcrRequest = { readonly do: "recognize"; readonly path: string; readonly page: number };
export type PictureRequest = DrawRequest | OcrRequest;
export type Picture = { readonly bytes: Uint8Array; readonly width: number; readonly height: number };
export type PictureResponse =
  | ({ readonly kind: "picture" } & Picture)
  | { readonly kind: "text"; readonly text: string }
  /** `reason` is one of `Unreadable`. */
  | { readonly kind: "refused"; readonly reason: string }
  /** An optional package is not installed. */
  | { readonly kind: "missing" };

const file = new URL("./picture-process.ts", import.meta.url);
/** They hold 100 to 300 MB after use, and are needed in bursts. */
const IDLE_MS = 30_000;
/** Separate, so that neither a long recognition nor a large upload delays the viewer. */
const uploads = createBoundedProcess<PictureRequest, PictureResponse>({ file, timeoutMs: 8_000, idleMs: IDLE_MS });
const views = createBoundedProcess<PictureRequest, PictureResponse>({
  file,
  timeoutMs: 8_000,
  idleMs: IDLE_MS,
  maxWaiting: 40,
});
const texts = createBoundedProcess<PictureRequest, PictureResponse>({ file, timeoutMs: 25_000, idleMs: IDLE_MS });

export type PictureResult = PictureResponse | { readonly kind: "refused"; readonly reason: string };

const ask = async (
  to: BoundedProcess<PictureRequest, PictureResponse>,
  request: PictureRequest,
): Promise<PictureResult> => {
  try {
    return await to.request(request);
  } catch (error) {
    return { kind: "refused", reason: reasons[error instanceof LimitExceeded ? error.limit : "crash"] };
  }
};

const reasons = {
  memory: "The file needs more memory to be read than allowed.",
  time: "The file takes longer to be read than allowed.",
  crash: "The file is damaged.",
} as const;

export const drawForModel = (request: Omit<DrawRequest, "do">): Promise<PictureResult> =>
  ask(uploads, { do: "show", ...request });
export const drawForViewer = (request: Omit<DrawRequest, "do">): Promise<PictureResult> =>
  ask(views, { do: "show", ...request });
export const recognizePage = (path: string, page: number): Promise<PictureResult> =>
  ask(texts, { do: "recognize", path, page });
