import { afterEach, describe, expect, test } from "vitest";
import { createReader, type Reader } from "./reader.ts";
import type { Source } from "./page.ts";

const page = (text: string): Source => ({
  body: Buffer.from(text),
  text,
  type: "text/plain",
  url: "https://example.org/",
});
const readers: Reader[] = [];
const open = (options: Parameters<typeof createReader>[0]): Reader => {
  const reader = createReader(options);
  readers.push(reader);
  return reader;
};
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
});

/** A thread that does what the page says: hangs, breaks, ends, or answers with how often it was asked. */
const fickle = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from "node:worker_threads";
    let asked = 0;
    parentPort.on("message", ({ text }) => {
      asked += 1;
      if (text === "hang") while (true);
      if (text === "break") throw new Error("broken");
      if (text === "end") process.exit(0);
      if (text === "refuse") return parentPort.postMessage({ error: "no such page" });
      parentPort.postMessage({ page: { markdown: text + " " + asked } });
    });
  `)}`,
);

describe("createReader", () => {
  test("pages are read in a thread, in order", async () => {
    const reader = open({});
    const pages = await Promise.all(["a", "b", "c"].map((text) => reader.read(page(text))));
    expect(pages.map(({ markdown }) => markdown)).toEqual(["a", "b", "c"]);
  });

  test("a page that hangs is an error, and the pages after it are read by another thread", async () => {
    const reader = open({ worker: fickle, timeoutMs: 2000 });
    expect((await reader.read(page("a"))).markdown).toBe("a 1");
    const [hung, after] = await Promise.allSettled([reader.read(page("hang")), reader.read(page("b"))]);
    expect(hung).toMatchObject({ status: "rejected", reason: { message: "reading the page took longer than 2 s" } });
    expect(after).toMatchObject({ status: "fulfilled", value: { markdown: "b 1" } });
  });

  test.each([
    ["break", "broken"],
    ["end", "its thread has ended"],
  ])("a page that lets the thread %s is an error, and the next is read", async (text, message) => {
    const reader = open({ worker: fickle });
    await expect(reader.read(page(text))).rejects.toThrow(message);
    expect((await reader.read(page("b"))).markdown).toBe("b 1");
  });

  test("a page that cannot be read is an error that says why, and the thread goes on", async () => {
    const reader = open({ worker: fickle });
    await expect(reader.read(page("refuse"))).rejects.toThrow("the page cannot be read: no such page");
    expect((await reader.read(page("b"))).markdown).toBe("b 2");
  });
});
