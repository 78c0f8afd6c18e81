import { serveParent } from "../../../server/lib/bounded-process-child.ts";

/** Hangs, exits, crashes, throws, or uses or keeps memory on command, or replies with the number of requests so far. */
export type Command = { readonly do: string };

const MEGABYTE = 1024 * 1024;
const buffers: Uint8Array[] = [];
let requests = 0;

serveParent<Command, string>({
  maxBytes: () => 64 * MEGABYTE,
  handle: ({ do: command }) => {
    requests += 1;
    if (command === "hang") for (;;);
    if (command === "end") process.exit(0);
    if (command === "crash") {
      setImmediate(() => {
        throw new Error("crash");
      });
      return new Promise(() => {});
    }
    if (command === "refuse") throw new Error("no such page");
    // Buffers are outside the JavaScript heap. Without an await in between, nothing else runs in this thread.
    for (let n = 0; command === "buffers" && n < 4_000; n += 1) buffers.push(new Uint8Array(MEGABYTE).fill(1));
    if (command === "heap") for (const list: unknown[] = []; ;) list.push({ n: list.length });
    if (command === "keep") for (let n = 0; n < 48; n += 1) buffers.push(new Uint8Array(MEGABYTE).fill(1));
    if (command === "env") return JSON.stringify(Object.keys(process.env));
    return `${command} ${requests}`;
  },
});
