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

/**
 * Uploads a file. Rejects with a message for the user. Uses XMLHttpRequest, because `fetch` does not report upload progress.
 */
export const upload = ({ file, name, threadId, onProgress, signal }: Upload): Promise<Attachment> =>
  new Promise((resolve, reject) => {
    const query = new URLSearchParams({ name, ...(threadId === null ? {} : { threadId }) });
    const request = new XMLHttpRequest();
    request.open("POST", `/api/attachments?${query}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
    request.addEventListener("load", () => {
      if (request.status === 201) resolve(request.response as Attachment);
      else reject(new Error(toMessage(request.response)));
    });
    request.addEventListener("error", () => reject(new Error(errors.unreachable)));
    request.addEventListener("abort", () => reject(new Error(errors.uploadCanceled)));
    signal.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file);
  });

const toMessage = (answer: unknown): string =>
  (answer as { error?: { message?: string } } | null)?.error?.message ?? errors.uploadFailed;
