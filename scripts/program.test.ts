import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";

const program = JSON.stringify(join(import.meta.dirname, "program.js"));
const quoted = (script: string): string => JSON.stringify(script);

/** A launcher that runs `script` in the foreground and exits with its exit code, like `npm start`. */
const launcher = (script: string): string => `
  const { runInForeground } = await import(${program});
  process.exitCode = await runInForeground({ node: process.execPath }, ["-e", ${quoted(script)}]);`;

const launch = (script: string) =>
  spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });

test("exits with the program's exit code", async () => {
  const [code] = (await once(launch(launcher("process.exitCode = 7")), "exit")) as [number];
  expect(code).toBe(7);
});

test("exits with 128 plus the signal number if a signal kills the program", async () => {
  const [code] = (await once(launch(launcher("process.kill(process.pid, 'SIGKILL')")), "exit")) as [number];
  expect(code).toBe(137);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "passes %s sent only to the launcher on to the program",
  async (signal) => {
    const patient = `process.on(${quoted(signal)}, () => process.exit(9)); setInterval(() => {}, 1000); console.log("up")`;
    const child = launch(launcher(patient));
    await once(child.stdout, "data");
    child.kill(signal);
    const [code] = (await once(child, "exit")) as [number];
    expect(code).toBe(9);
  },
);

test("stops the program when the shell between npm and the launcher dies", async () => {
  const patient = `process.on("SIGTERM", () => { console.log("asked"); process.exit() }); console.log("up"); setInterval(() => {}, 1000)`;
  const shell = launch(`
    const { spawn } = await import("node:child_process");
    spawn(process.execPath, ["--input-type=module", "-e", ${quoted(launcher(patient))}], { stdio: "inherit" });`);
  const words = shell.stdout.setEncoding("utf8").iterator();
  expect((await words.next()).value).toContain("up");
  shell.kill("SIGKILL");
  expect((await words.next()).value).toContain("asked");
});
