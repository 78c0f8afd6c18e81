import { ApiError } from "../../../protocol/errors.ts";
import type { Reads, Write } from "../../store/contract.ts";

type Sending = {
  readonly owner: string;
  readonly threadId: string;
  readonly ids: readonly string[];
};

/** Files that a message of this thread may use: the thread's own, and unsent ones without a thread. Throws for others. */
export async function readSendable(read: Pick<Reads, "attachments">, { owner, threadId, ids }: Sending) {
  const rows = await read.attachments(owner, ids);
  const isUsable = rows.every(({ thread, sent }) => thread === threadId || (thread === "" && sent === 0));
  if (rows.length === ids.length && isUsable) return rows;
  throw new ApiError("invalid", "An attached file was removed or belongs to another thread. Attach it again.");
}

/** Rows to commit with the message that uses these files. They then belong to the thread. */
export async function planSending(read: Pick<Reads, "attachments">, sending: Sending): Promise<readonly Write[]> {
  const { owner, threadId } = sending;
  return (await readSendable(read, sending)).map(({ id, thread }): Write => ({
    do: "update",
    table: "attachments",
    set: { thread: threadId, sent: 1, slot: null },
    where: { owner, id, thread },
    expectOne: true,
  }));
}
