import type { StreamName } from "../../../protocol/ids.ts";
import type { Batch, BatchResult, Write } from "../contract.ts";
import { toStorable } from "../write-sql.ts";

/** A batch that contains only deltas of its fence's stream. */
export type DeltaBatch = { readonly stream: StreamName; readonly epoch: number; readonly bodies: readonly string[] };

export function toDeltaBatch({ fence, events, writes, revoke }: Batch): DeltaBatch | undefined {
  if (!fence || fence.acquire || fence.release || revoke || writes.length > 0 || events.length === 0) return undefined;
  const { stream, epoch } = fence;
  const bodies: string[] = [];
  for (const event of events) {
    if (!event.transient || event.stream !== stream || event.part || event.about !== undefined) return undefined;
    // JSON written by this server is one line; anything else is handled as an ordinary batch.
    if (event.body === "" || event.body.includes("\n")) return undefined;
    bodies.push(toStorable(event.body));
  }
  return { stream, epoch, bodies };
}

/** As lines of text: cheap to send to the writer thread, and the format of the journal. */
export const encode = ({ stream, epoch, bodies }: DeltaBatch): string => `${epoch}\n${stream}\n${bodies.join("\n")}`;

export function decode(text: string): DeltaBatch {
  const [epoch, stream, ...bodies] = text.split("\n");
  return { epoch: Number(epoch), stream: stream as StreamName, bodies };
}

/** The writer thread returns the first seq, or 0 if fenced. */
export function toResult({ epoch, bodies }: DeltaBatch, first: number): BatchResult {
  return first === 0 ? { ok: false, why: "fenced" } : { ok: true, seqs: bodies.map((_, n) => first + n), epoch };
}

type DeltaRemoval = { readonly stream: string; readonly after: number };

/** The deltas that a write deletes, if any. */
export function toDeltaRemoval(write: Write): DeltaRemoval | undefined {
  if (write.do !== "delete" || write.table !== "events") return undefined;
  const { stream, seq, transient = 1, ...other } = write.where;
  if (typeof stream !== "string" || transient !== 1 || Object.keys(other).length > 0) return undefined;
  return { stream, after: typeof seq === "object" ? seq.gt : 0 };
}
