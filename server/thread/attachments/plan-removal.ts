import type { Reads, Write } from "../../store/contract.ts";

/**
 * Rows to commit when a thread is deleted: its files, and the contents that no other file has. If another file gets one of
 * these contents concurrently, the commit fails and the caller plans it again.
 */
export async function planRemoval(read: Pick<Reads, "ownContents">, threadId: string): Promise<readonly Write[]> {
  const contents = await read.ownContents(threadId);
  return [
    { do: "delete", table: "attachments", where: { thread: threadId } },
    ...contents.map(({ owner, hash }): Write => ({ do: "delete", table: "attachment_blobs", where: { owner, hash } })),
  ];
}
