import type { OpenStream, Streamed } from "../net/open-stream.ts";

const LIFE_MS = 60 * 60_000;
const IDLE_MS = 10 * 60_000;
const withoutBody = new Set([101, 204, 205, 304]);

/** The web's `fetch` over our own way out, where every address is checked: for what a person names and not the operator. */
export const createCheckedFetch =
  (stream: OpenStream): typeof globalThis.fetch =>
  async (address, init = {}) => {
    if (address instanceof Request) throw new Error("only addresses are asked here");
    const { method = "GET", body } = init;
    if (method !== "GET" && method !== "POST") throw new Error(`${method} is not a way to ask a model`);
    if (body !== undefined && body !== null && typeof body !== "string")
      throw new Error("only texts are sent to models");
    const answer = await stream(String(address), {
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === "string" ? { body } : {}),
      ...(init.signal ? { signal: init.signal } : {}),
      lifeMs: LIFE_MS,
      idleMs: IDLE_MS,
    });
    return toResponse(answer);
  };

function toResponse({ status, headers, body }: Streamed): Response {
  const chunks = body[Symbol.asyncIterator]();
  if (withoutBody.has(status) || status < 200) {
    void chunks.return?.();
    return new Response(null, { status: status < 200 ? 502 : status, headers });
  }
  const readable = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => {
      await chunks.return?.();
    },
  });
  return new Response(readable, { status, headers });
}
