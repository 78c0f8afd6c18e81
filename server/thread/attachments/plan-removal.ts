import type { Reads, Write } from "../../store/contract.ts";

/**
 * To be committed with the end of a thread: its files, and the contents that no other file has. Should another get one of
 * these meanwhile, the database refuses the commit, and it is planned again.
 */
export async function planRemoval(read: Pick<Reads, "ownContents">, threadId: string): Promise<readonly Write[]> {
  const contents = await read.ownContents(threadId);
  return [
    { do: "delete", table: "attachments", where: { thread: threadId } },
    ...contents.map(({ owner, hash }): Write => ({ do: "delete", table: "attachment_blobs", where: { owner, hash } })),
  ];
}
