import { expect, test } from "vitest";
import { systemClock } from "../../../lib/clock.ts";
import { createWebFetch } from "./web-fetch.ts";

const url = "https://mcp.example/mcp";

/** The text of an event stream that arrives in these chunks, and whether it can be resumed. */
async function receive(chunks: readonly string[]) {
  const ended: number[] = [];
  let now = 0;
  const fetch = createWebFetch({
    settings: { kind: "http", name: "web", url, headers: {} } as never,
    stream: async () => ({
      ...{ status: 200, headers: { "content-type": "text/event-stream" }, url },
      body: (async function* () {
        for (const chunk of chunks) {
          now += 60_000;
          yield Buffer.from(chunk);
        }
      })(),
    }),
    clock: { ...systemClock, monotonic: () => now },
    onStreamEnd: (id) => void ended.push(id),
  });
  const response = await fetch(url, { method: "POST", body: JSON.stringify({ id: 7 }) });
  return { text: await response.text(), isResumable: ended.length === 0 };
}

test("a stream is not limited in total, however its events are cut into chunks", async () => {
  const event = "x".repeat(300_000);
  for (const end of [["\n\n"], ["\n", "\n"], ["\r\n", "\r\n"], ["\r", "\n\r", "\n"]]) {
    const chunks = Array.from({ length: 40 }, () => [`data: ${event}`, ...end]).flat();
    expect((await receive(chunks)).text.length).toBeGreaterThan(12_000_000);
  }
});

test("one event is limited to 8 MB", async () => {
  const chunks = Array.from({ length: 40 }, () => "x".repeat(300_000));
  await expect(receive(["data: ", ...chunks])).rejects.toThrow("more than 8388608 bytes");
});

test("an event id makes a stream resumable, also if it is cut", async () => {
  expect(await receive(["data: 1\n\ni", "d: 5\ndata: 2\n\n"])).toMatchObject({ isResumable: true });
  expect(await receive(["id", ": 5\ndata: 2\n\n"])).toMatchObject({ isResumable: true });
  expect(await receive(["data: grid", ": 5\n\n"])).toMatchObject({ isResumable: false });
});
