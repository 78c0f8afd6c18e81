import type { ModelRequest } from "../../protocol/model.ts";
import type { Reads } from "../store/contract.ts";

/** Adds the content of the images that the request refers to. Images that the model cannot take were removed when it was assembled. */
export async function withImages(
  read: Pick<Reads, "attachmentBody">,
  request: ModelRequest,
  ownerId: string,
): Promise<ModelRequest> {
  const wanted = request.messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : []));
  if (wanted.length === 0) return request;
  const images: Record<string, string> = {};
  for (const { hash } of wanted) {
    const body = hash in images ? undefined : await read.attachmentBody(ownerId, hash);
    if (body !== undefined) images[hash] = body;
  }
  return { ...request, images };
}
