import type { PinView } from "../../protocol/context/context.ts";
import { untrustedIn, writeSources } from "../../protocol/context/untrusted.ts";
import { ApiError } from "../../protocol/errors.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { toPart } from "../thread/rows.ts";
import type { RunDeps } from "./run-context.ts";

/** Texts that the user pinned to a thread. They are in every prompt. */
export function createPins({ store: { read }, log, clock }: Pick<RunDeps, "store" | "log" | "clock">) {
  const commit = async (threadId: string, write: Write): Promise<boolean> => {
    const event = { stream: threadStream(threadId), event: { type: "context-changed", what: "pins" } } as const;
    return (await log.commit({ events: [event], writes: [write] })).ok;
  };

  return {
    list: async (threadId: string): Promise<PinView[]> => (await read.pins(threadId)).map(toPin),

    add: async (threadId: string, { id, text, messageId }: NewPin): Promise<PinView> => {
      // A pin of a message keeps that message's untrusted sources.
      const parts = messageId === undefined ? [] : (await read.partsOf(threadId, [messageId])).map(toPart);
      const row = {
        id: `${threadId}/${id}`,
        thread: threadId,
        message: messageId ?? null,
        text,
        untrusted: writeSources(untrustedIn(parts)),
        created_at: clock.now(),
      };
      const known = (await read.pins(threadId)).find((pin) => pin.id === row.id);
      if (known && known.text === text) return toPin(known);
      if (known) throw new ApiError("conflict", PIN_ID_USED);
      if ((await read.pins(threadId)).length >= MAX_PINS) {
        throw new ApiError("invalid", `A thread can keep at most ${MAX_PINS} texts in its context. Remove one first.`);
      }
      if (!(await commit(threadId, { do: "insert", table: "pins", row }))) {
        throw new ApiError("conflict", PIN_ID_USED);
      }
      return toPin(row);
    },

    remove: async (threadId: string, pinId: string): Promise<{ id: string }> => {
      const row = (await read.pins(threadId)).find(({ id }) => id === `${threadId}/${pinId}`);
      if (!row) throw new ApiError("not-found", "Not found.");
      await commit(threadId, { do: "delete", table: "pins", where: { id: row.id } });
      return { id: pinId };
    },
  };
}

const MAX_PINS = 30;
const PIN_ID_USED = "Another pin has this id. Choose another id.";

type NewPin = { readonly id: string; readonly text: string; readonly messageId?: string | undefined };

/** Pin ids come from the client and are unique only within the thread. */
const toPin = ({ id, thread, text, message, created_at: createdAt }: RowOf<"pins">): PinView => ({
  id: id.slice(thread.length + 1),
  text,
  messageId: message,
  createdAt,
});
