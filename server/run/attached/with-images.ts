import type { ModelRequest } from "../../../protocol/model.ts";
import type { Model } from "../../model/model.ts";
import type { Reads } from "../../store/contract.ts";

/** Of all pictures of a request, as base64: the newest first, and no more than any provider takes. */
const MOST_CHARACTERS = 20_000_000;

/** The request with the pictures that it names, for a model that sees; any other is told of them in words. */
export async function withImages(
  read: Pick<Reads, "attachmentBody">,
  { request, model, ownerId }: { readonly request: ModelRequest; readonly model: Model; readonly ownerId: string },
): Promise<ModelRequest> {
  if (model.info.vision !== true) return request;
  const wanted = request.messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : []));
  if (wanted.length === 0) return request;
  const images: Record<string, string> = {};
  let left = MOST_CHARACTERS;
  for (const { hash } of wanted.toReversed()) {
    if (hash in images) continue;
    const body = await read.attachmentBody(ownerId, hash);
    if (body === undefined || body.length > left) continue;
    left -= body.length;
    images[hash] = body;
  }
  return { ...request, images };
}
