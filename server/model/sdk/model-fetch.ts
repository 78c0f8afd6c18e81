import { createStreamText, type StreamText } from "./repair-stream.ts";
import { findWatch, type Watch, type WireFormat } from "./watch.ts";

/** More than any event of a provider needs; a base64 image fits. */
const lineBytes = 8_000_000;
/** Enough for hundreds of thousands of tokens with one event each. */
const bodyBytes = 128_000_000;
/** How long to wait for usage after the finish reason. */
const afterFinishMs = 5_000;
const newline = 10;

/**
 * A fetch whose responses cannot exhaust the memory: a line or body beyond its limit fails the stream. The provider packages
 * buffer a line until it ends, so the limit must apply before them. Redirects are not followed: they would send the key and
 * the conversation to an address that was not configured. For model calls with a watch, every byte is reported and the
 * stream is repaired.
 */
export const createModelFetch =
  (fetch: typeof globalThis.fetch, format: WireFormat = "other"): typeof globalThis.fetch =>
  async (input, init) => {
    const watch = findWatch(init?.signal);
    const response = await fetch(input, { ...init, redirect: "manual" });
    watch?.onBytes();
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    if (watch) watch.isAccepted = response.ok;
    const text = watch && response.ok && format !== "binary" ? createStreamText(format, watch) : undefined;
    return new Response(bound(response.body.getReader(), { watch, text }), { status, statusText, headers });
  };

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type BoundOptions = { readonly watch: Watch | undefined; readonly text: StreamText | undefined };

const bound = (reader: Reader, { watch, text }: BoundOptions): ReadableStream<Uint8Array> => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  let line = 0;
  let body = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        for (;;) {
          const step = await (watch?.finish === "seen" ? readWithin(reader, afterFinishMs) : reader.read());
          if (step.done) {
            if (text) controller.enqueue(encoder.encode(text.end()));
            return controller.close();
          }
          const bytes = step.value;
          const last = bytes.lastIndexOf(newline);
          line = last === -1 ? line + bytes.byteLength : bytes.byteLength - last - 1;
          body += bytes.byteLength;
          if (watch) {
            watch.bytes = body;
            watch.onBytes();
          }
          if (line > lineBytes || body > bodyBytes) {
            await reader.cancel();
            return controller.error(new OversizedAnswer());
          }
          if (!text) return controller.enqueue(bytes);
          const read = text.read(decoder.decode(bytes, { stream: true }));
          if (read.text !== "") controller.enqueue(encoder.encode(read.text));
          if (read.isOver) {
            reader.cancel().catch(() => {});
            return watch?.isDone ? controller.close() : controller.error(new OversizedAnswer());
          }
          // Comments and dropped lines are not passed on.
          if (read.text !== "") return;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
};

/** Some servers keep the connection open after an answer, or reset it. Both count as its end. */
const readWithin = async (reader: Reader, ms: number): Promise<Awaited<ReturnType<Reader["read"]>>> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms);
  });
  const reset = reader.read().catch(() => "late" as const);
  const step = await Promise.race([reset, late]).finally(() => clearTimeout(timer));
  if (step !== "late") return step;
  reader.cancel().catch(() => {});
  return { done: true, value: undefined };
};

export class OversizedAnswer extends Error {
  override readonly name = "OversizedAnswer";
}
