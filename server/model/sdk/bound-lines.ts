/** Longer than any event an honest provider sends; an image in base64 fits. */
const lineBytes = 16_000_000;
/** A million characters one by one, each in an event of its own, fit. */
const bodyBytes = 512_000_000;
const newline = 10;

/**
 * A fetch whose answers cannot fill the memory: a line, or a whole body, beyond its bound breaks the stream. The
 * provider packages buffer a line until it ends, so the bound has to stand before them. Redirects are not followed: they
 * would carry the key and the conversation to an address that nobody chose.
 */
export const boundLines =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(bound(response.body.getReader()), { status, statusText, headers });
  };

const bound = (reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> => {
  let line = 0;
  let body = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const step = await reader.read();
        if (step.done) return controller.close();
        const bytes = step.value;
        const last = bytes.lastIndexOf(newline);
        line = last === -1 ? line + bytes.byteLength : bytes.byteLength - last - 1;
        body += bytes.byteLength;
        if (line <= lineBytes && body <= bodyBytes) return controller.enqueue(bytes);
        await reader.cancel();
        controller.error(new OversizedAnswer());
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
};

export class OversizedAnswer extends Error {
  override readonly name = "OversizedAnswer";
}
