import type { Attachment } from "../../../protocol/attachments.ts";

export type UploadResult =
  | { readonly status: 201; readonly attachment: Attachment }
  | { readonly status: number; readonly code: string; readonly message: string };

type File = { readonly name: string; readonly bytes: Uint8Array | string; readonly threadId?: string };

/** Uploads a file like the page does. */
export async function tryAttach(url: string, { name, bytes, threadId }: File): Promise<UploadResult> {
  const query = new URLSearchParams({ name, ...(threadId === undefined ? {} : { threadId }) });
  const response = await fetch(`${url}/api/attachments?${query}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body: typeof bytes === "string" ? bytes : new Uint8Array(bytes),
  });
  const answer = (await response.json()) as Attachment & { error: { code: string; message: string } };
  if (response.status === 201) return { status: 201, attachment: answer };
  return { status: response.status, code: answer.error.code, message: answer.error.message };
}

export async function attach(url: string, file: File): Promise<Attachment> {
  const answer = await tryAttach(url, file);
  if ("attachment" in answer) return answer.attachment;
  throw new Error(`${file.name} was refused: ${answer.message}`);
}
