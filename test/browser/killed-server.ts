import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A server in a separate process that can be killed with SIGKILL and restarted with the same data and port. */
export async function startProcess() {
  const dataDir = mkdtempSync(join(tmpdir(), "stonechat-"));
  let child: ChildProcess | undefined;
  let port = "0";

  const start = async (): Promise<string> => {
    const started = spawn(process.execPath, ["server/main.ts"], {
      cwd: join(import.meta.dirname, "../.."),
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        PATH: process.env["PATH"],
        STONECHAT_DATA: dataDir,
        STONECHAT_PORT: port,
        STONECHAT_SCRIPTED: "1",
        STONECHAT_MODEL: "scripted/script",
        STONECHAT_LEASE_MS: "500",
        STONECHAT_LOG: "fatal",
      },
    });
    child = started;
    let output = "";
    for await (const piece of started.stdout) {
      output += String(piece);
      const url = /ready: (http:\S+)/.exec(output)?.[1];
      if (!url) continue;
      port = new URL(url).port;
      started.stdout.resume();
      return url;
    }
    throw new Error(`The server did not start: ${output}`);
  };

  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };

  onTestFinished(async () => {
    await kill();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { start, kill };
}
