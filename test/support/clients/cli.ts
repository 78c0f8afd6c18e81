import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const main = join(import.meta.dirname, "../../../cli/main.ts");

/** The program in a separate process. `until` waits for text on its output. */
export function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("STONECHAT_")));
  const child = spawn(process.execPath, [main, ...args], { env: { ...inherited, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  const seen = { out: "", err: "" };
  const watchers = new Set<() => void>();
  for (const [name, stream] of [["out", child.stdout] as const, ["err", child.stderr] as const]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      seen[name] += text;
      for (const look of watchers) look();
    });
  }
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...seen }));
  return {
    child,
    ended,
    type: (line: string) => child.stdin.write(`${line}\n`),
    finish: (text = "") => {
      child.stdin.end(text);
      return ended;
    },
    until: (name: "out" | "err", text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => seen[name].includes(text) && resolve();
        watchers.add(look);
        void ended.then(() => reject(new Error(`it ended before "${text}": ${JSON.stringify(seen)}`)));
        look();
      }),
  };
}
