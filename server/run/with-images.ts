import type { ModelRequest } from "../../protocol/model.ts";
import type { Reads } from "../store/contract.ts";

/** The request with the content of the pictures that it names. Those that are not sent were taken out when it was assembled. */
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
