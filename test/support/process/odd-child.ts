import { answerParent } from "../../../server/lib/answer-parent.ts";

/** Does as it is told: hangs, ends, crashes, refuses, takes memory, or says how often it was asked. */
export type Told = { readonly do: string };

const MEGABYTE = 1024 * 1024;
const held: Uint8Array[] = [];
let asked = 0;

answerParent<Told, string>({
  mostBytes: () => 64 * MEGABYTE,
  answer: ({ do: told }) => {
    asked += 1;
    if (told === "hang") for (;;);
    if (told === "end") process.exit(0);
    if (told === "crash") {
      setImmediate(() => {
        throw new Error("crash");
      });
      return new Promise(() => {});
    }
    if (told === "refuse") throw new Error("no such page");
    // Buffers are outside the JavaScript heap. Without an await in between, nothing else runs in this thread.
    for (let n = 0; told === "buffers" && n < 4_000; n += 1) held.push(new Uint8Array(MEGABYTE).fill(1));
    if (told === "heap") for (const list: unknown[] = []; ;) list.push({ n: list.length });
    if (told === "env") return JSON.stringify(Object.keys(process.env));
    return `${told} ${asked}`;
  },
});
