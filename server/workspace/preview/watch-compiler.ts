import { readdirSync, readFileSync } from "node:fs";

const LOOK_MS = 25;

/**
 * Kills the compiler's process when it holds more memory than allowed, and calls back. esbuild does not tell its process, so
 * it is found among the children of this one; where the system has no `/proc`, only the time of a build is bounded.
 */
export function watchCompiler(mostBytes: number, onOver: () => void): () => void {
  const timer = setInterval(() => {
    for (const pid of findCompilers()) {
      if (memoryOf(pid) <= mostBytes) continue;
      process.kill(pid, "SIGKILL");
      onOver();
    }
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function findCompilers(): readonly number[] {
  const tasks = "/proc/self/task";
  const children = list(tasks).flatMap((task) => read(`${tasks}/${task}/children`).trim().split(" "));
  return children.filter((pid) => /esbuild\0--service=/.test(read(`/proc/${pid}/cmdline`))).map(Number);
}

/** In bytes. */
const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty where there is nothing: a process may end at any time. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
