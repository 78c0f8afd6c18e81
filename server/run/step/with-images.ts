import type { ModelRequest } from "../../../protocol/model.ts";
import type { Reads } from "../../store/contract.ts";
import type { RunState } from "../state.ts";

/** Adds the content of the images that the request refers to. Images that the model cannot take were removed when it was assembled. */
export async function withImages(
  read: Pick<Reads, "attachmentBody" | "attachmentsOf">,
  request: ModelRequest,
  { ownerId, shared, view }: RunState,
): Promise<ModelRequest> {
  const wanted = request.messages.flatMap((message) => (message.role === "user" ? (message.images ?? []) : []));
  if (wanted.length === 0) return request;
  // In a shared thread, files belong to the people who sent them.
  const rows = shared ? await read.attachmentsOf(view.threadId) : [];
  const images: Record<string, string> = {};
  for (const { hash } of wanted) {
    if (hash in images) continue;
    const owners = shared ? rows.filter((row) => row.hash === hash.split("/")[0]).map(({ owner }) => owner) : [ownerId];
    for (const owner of owners) {
      const body = await read.attachmentBody(owner, hash);
      if (body !== undefined) images[hash] = body;
      if (body !== undefined) break;
    }
  }
  return { ...request, images };
}
