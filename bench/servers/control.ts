import { halt } from "../load/play.ts";

/** Resource usage of a contestant. CPU is that of the whole process: every thread, user and system. */
export type Usage = { readonly cpuUs: number; readonly rssBytes: number };
export type Request = { readonly id: number; readonly do: "usage" | "settled-usage" | "halt" };
export type Reply = { readonly id: number; readonly usage: Usage };

/** Sends the parent its address, answers its requests and exits with it. */
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
  if (!gc) throw new Error("Start this process with --expose-gc.");
  gc();
  gc();
}
