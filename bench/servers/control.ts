import { halt } from "../load/play.ts";

/** What a contestant tells of itself. Its CPU is the whole process's: every thread, user and system. */
export type Usage = { readonly cpuUs: number; readonly rssBytes: number };
export type Request = { readonly id: number; readonly do: "usage" | "settled-usage" | "halt" };
export type Reply = { readonly id: number; readonly usage: Usage };

/** Tells the parent where it serves and answers its questions; leaves when the parent does. */
export function announce(url: string): void {
  process.on("message", ({ id, do: wanted }: Request) => {
    if (wanted === "halt") halt();
    if (wanted === "settled-usage") collectGarbage();
    const { user, system } = process.cpuUsage();
    const usage: Usage = { cpuUs: user + system, rssBytes: process.memoryUsage.rss() };
    process.send?.({ id, usage } satisfies Reply);
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.({ url });
}

function collectGarbage(): void {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error("start this process with --expose-gc");
  gc();
  gc();
}
