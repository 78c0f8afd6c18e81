import type { Attachment } from "../../protocol/attachments.ts";
import { errors } from "../strings/errors.ts";

type Upload = {
  readonly file: Blob;
  readonly name: string;
  /** null: for a thread that does not exist yet. */
  readonly threadId: string | null;
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
};

/** Uploads an attachment. Rejects with a message for the user. */
export const upload = ({ name, threadId, ...rest }: Upload): Promise<Attachment> => {
  const query = new URLSearchParams({ name, ...(threadId === null ? {} : { threadId }) });
  return sendFile<Attachment>({ path: `/api/attachments?${query}`, ...rest });
};

type Sending = {
  readonly file: Blob;
  readonly path: string;
  readonly onProgress: (share: number) => void;
  readonly signal?: AbortSignal;
};

/** Rejects with a message for the user. Uses XMLHttpRequest, because `fetch` does not report upload progress. */
export const sendFile = <T>({ file, path, onProgress, signal }: Sending): Promise<T> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener("load", () => {
      if (request.status === 201) resolve(request.response as T);
      else reject(new Error(toMessage(request.response)));
    });
    request.addEventListener("error", () => reject(new Error(errors.unreachable)));
    request.addEventListener("abort", () => reject(new Error(errors.uploadCanceled)));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });

const toMessage = (answer: unknown): string =>
  (answer as { error?: { message?: string } } | null)?.error?.message ?? errors.uploadFailed;
