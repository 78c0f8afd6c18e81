import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../support/server-process.ts";

const main = join(import.meta.dirname, "../../cli/main.ts");

test("an answer in the terminal continues after the server was killed, without a lost or repeated word", async () => {
  const server = await startServer();
  onTestFinished(server.close);
  const words = Array.from({ length: 60 }, (_, n) => `w${n}`).join(" ");
  const child = spawn(process.execPath, [main, "ask", `say ${words} every 20ms`, "--url", server.url]);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  const [out, ended] = [text(child.stdout), once(child, "close")];
  await new Promise<void>((resolve) => child.stdout.on("data", (piece) => String(piece).includes("w5") && resolve()));
  await server.kill();
  await server.restart();
  expect((await ended)[0]).toBe(0);
  expect((await out).trim()).toBe(words);
});
