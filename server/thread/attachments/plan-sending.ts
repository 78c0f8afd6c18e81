import { ApiError } from "../../../protocol/errors.ts";
import type { Reads, Write } from "../../store/contract.ts";

type Sending = {
  readonly owner: string;
  readonly threadId: string;
  readonly ids: readonly string[];
};

/** Files that a message of this thread may name: its own, and those that wait for a thread. Refuses others. */
export async function readSendable(read: Pick<Reads, "attachments">, { owner, threadId, ids }: Sending) {
  const rows = await read.attachments(owner, ids);
  const isHere = rows.every(({ thread, sent }) => thread === threadId || (thread === "" && sent === 0));
  if (rows.length === ids.length && isHere) return rows;
  throw new ApiError(
    "invalid",
    "An attached file is not there any more, or belongs to another thread: attach it again.",
  );
}

/** To be committed with the message that names these files: from then on they are the thread's. */
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
