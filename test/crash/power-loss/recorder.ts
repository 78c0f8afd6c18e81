import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** One change to a file, or a note of the workload, in order. */
export type Op = {
  readonly kind: "write" | "sync" | "failed-sync" | "truncate" | "unlink";
  readonly thread: number;
  readonly name: string;
  /** Offset of the write, or the truncated size. */
  readonly at: number;
  readonly bytes: Buffer;
};
export type Recording = { readonly folder: string; readonly mainThread: number; readonly ops: readonly Op[] };

const kinds = { W: "write", S: "sync", F: "failed-sync", T: "truncate", U: "unlink" } as const;
const HEAD_BYTES = 19;

export const canRecord = (): boolean =>
  process.platform === "linux" && spawnSync("cc", ["--version"], { stdio: "ignore" }).status === 0;

/** Compiles a library for LD_PRELOAD from a C file of this folder. */
export function compileLibrary(source: string, home: string): string {
  const library = join(home, `${source}.so`);
  const flags = ["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror"];
  execFileSync("cc", [...flags, "-o", library, join(import.meta.dirname, source), "-ldl", "-lpthread"]);
  return library;
}

/** `failing`: some syncs fail while the workload writes. */
export type Mode = "FULL" | "NORMAL" | "failing";

/** Runs the workload under the recorder in a separate process and reads the recording. */
export function record(home: string, mode: Mode, rounds: number): Recording {
  const library = compileLibrary("record.c", home);
  const folder = mkdtempSync(join(home, `${mode}-`));
  const log = `${folder}.record`;
  const flag = `${folder}.fails`;
  const program = join(import.meta.dirname, "workload.ts");
  const { pid, status, stderr } = spawnSync(process.execPath, [program, folder, mode, String(rounds)], {
    env: {
      PATH: process.env["PATH"],
      LD_PRELOAD: library,
      STONECHAT_RECORD_DIR: folder,
      STONECHAT_RECORD_LOG: log,
      ...(mode === "failing" ? { TEST_FAIL_SYNCS: flag } : {}),
    },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`The workload failed: ${stderr}`);
  return { folder, mainThread: pid, ops: [...readOps(readFileSync(log), folder)] };
}

function* readOps(log: Buffer, folder: string): Generator<Op> {
  for (let at = 0; at < log.length;) {
    const kind = kinds[String.fromCharCode(log.readUInt8(at)) as keyof typeof kinds];
    const pathEnd = at + HEAD_BYTES + log.readUInt16LE(at + 1);
    const end = pathEnd + log.readUInt32LE(at + 15);
    const path = log.toString("utf8", at + HEAD_BYTES, pathEnd);
    yield {
      kind,
      thread: log.readUInt32LE(at + 3),
      name: path === folder ? "." : basename(path),
      at: Number(log.readBigInt64LE(at + 7)),
      bytes: log.subarray(pathEnd, end),
    };
    at = end;
  }
}
