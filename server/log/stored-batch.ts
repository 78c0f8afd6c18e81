import type { LogEvent } from "../../protocol/events.ts";
import { projectStream } from "../../protocol/ids.ts";
import { withPart, type Batch, type PlannedEvent, type Write } from "../store/contract.ts";
import type { LogBatch } from "./types.ts";

/** A batch as it is written, and the JSON of its events as it is sent. */
export type StoredBatch = { readonly batch: Batch; readonly bodies: readonly string[] };

/** A settled part is stored once, in `parts`. Its event only refers to it and is completed on reading. */
export function toStored(batch: LogBatch): StoredBatch {
  const events: PlannedEvent[] = [];
  const bodies: string[] = [];
  const writes: Write[] = [...batch.writes];
  for (const { stream, event, transient = false, tokens = 0 } of batch.events) {
    if (event.type !== "part-settled") {
      const body = JSON.stringify(event);
      const about = stream.startsWith("thread:") ? undefined : subjectOf(event);
      events.push({ stream, body, transient, ...(about === undefined ? {} : { about }) });
      bodies.push(body);
      continue;
    }
    const { part, ...named } = event;
    const partBody = JSON.stringify(part);
    const body = JSON.stringify(named);
    const whole = withPart(body, partBody);
    const thread = stream.slice("thread:".length);
    const { kind, n, v } = part;
    writes.push({
      do: "put",
      table: "parts",
      row: { thread, message: event.messageId, n, v, kind, tokens, body: partBody },
    });
    events.push(
      transient ? { stream, body: whole, transient } : { stream, body, part: { message: event.messageId, n } },
    );
    bodies.push(whole);
  }
  return { batch: { ...batch, events, writes }, bodies };
}

/** Subject of an event in the stream of a user or project: a thread id, or a project's stream. */
const subjectOf = (event: LogEvent): string | undefined => {
  if (event.type === "thread-created") return event.thread.id;
  if (event.type === "project-changed") return projectStream(event.projectId);
  return "threadId" in event ? (event.threadId ?? undefined) : undefined;
};
