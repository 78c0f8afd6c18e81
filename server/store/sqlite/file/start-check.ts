import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../lib/clock.ts";
import type { Report } from "../../contract.ts";
import type { DamagedPageError } from "../../failure.ts";
import type { CheckLine } from "./check.ts";
import { toDamaged } from "./failure.ts";

export type Check = {
  /** True when every table was checked. */
  readonly isDone: () => boolean;
  readonly end: () => Promise<void>;
};

/** Progress is logged this often. */
const LOG_EVERY_MS = 5_000;

type Options = { readonly file: string; readonly report: Report; readonly onDamage: (error: DamagedPageError) => void };

/** Checks the file while the server runs. A fault is logged and reported to readiness. */
export function startCheck({ file, report, onDamage }: Options): Check {
  const startedAt = systemClock.monotonic();
  const seconds = () => ((systemClock.monotonic() - startedAt) / 1000).toFixed(1);
  const sizeMb = Math.ceil(statSync(file).size / 1e6);
  report("warn", `The last stop was not clean. Checking ${file} (${sizeMb} MB) in the background.`);
  const program = fileURLToPath(new URL("./check.ts", import.meta.url));
  const child = spawn(process.execPath, [program, file], { stdio: ["ignore", "pipe", "ignore"] });
  let last: CheckLine | undefined;
  let [isEnding, faults, loggedAt] = [false, 0, startedAt];
  createInterface({ input: child.stdout }).on("line", (text) => {
    last = JSON.parse(text) as CheckLine;
    if (last.found !== undefined) {
      faults += 1;
      const damage = toDamaged(file, `table ${last.table}: ${last.found}`);
      report("error", damage.message);
      onDamage(damage);
    }
    if (systemClock.monotonic() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = systemClock.monotonic();
    report("info", `Checking the database: ${last.done} of ${last.tables} tables after ${seconds()} s.`);
  });
  const isDone = () => last !== undefined && last.done === last.tables;
  const gone = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  void gone.then(() => {
    if (isEnding) return;
    if (!isDone()) report("error", `The check of ${file} ended early. It is repeated at the next start.`);
    else if (faults === 0) report("info", `The database check found no fault (${seconds()} s).`);
  });
  return {
    isDone,
    end: async () => {
      isEnding = true;
      child.kill("SIGKILL");
      await gone;
    },
  };
}
