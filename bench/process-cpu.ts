import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Linux counts in hundredths of a second here, independent of the kernel's timer. */
const TICK_US = 10_000;

/**
 * CPU of a process, its children and those of them that ended, from /proc; 0 where there is none. PostgreSQL starts a process for
 * each connection, all of them children of one.
 */
export function readTreeCpuUs(pid: number): number {
  if (!existsSync("/proc/self/stat")) return 0;
  let ticks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(name);
    if (!stat || (Number(name) !== pid && stat.parent !== pid)) continue;
    ticks += stat.own + stat.ended;
  }
  return ticks * TICK_US;
}

/** Time that a core was in use, by any process or another virtual machine, from /proc; 0 where there is none. */
export function readCpuBusyUs(core: number): number {
  if (!existsSync("/proc/stat")) return 0;
  const line = readFileSync("/proc/stat", "utf8")
    .split("\n")
    .find((text) => text.startsWith(`cpu${core} `));
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (line ?? "")
    .split(" ")
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_US;
}

type Stat = { readonly parent: number; readonly own: number; readonly ended: number };

function readStat(pid: string): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined; // It has just ended, and its parent's line has its time.
  }
  // The second field is the name in parentheses, which can contain spaces.
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const at = (field: number): number => fields[field - 3] ?? 0;
  return { parent: at(4), own: at(14) + at(15), ended: at(16) + at(17) };
}
