import type { Failpoint } from "../../../server/run/running.ts";

/** `name` or `name:count`: at the count-th passing of that point the process kills itself, as a crash would. */
export type Failpoints = { readonly pass: (name: Failpoint) => void; readonly arm: (setting: string | null) => void };

export function createFailpoints(): Failpoints {
  let wanted = "";
  let left = 0;
  return {
    arm: (setting) => {
      const [name = "", count = "1"] = (setting ?? "").split(":");
      [wanted, left] = [name, Number(count)];
    },
    pass: (name) => {
      if (name !== wanted) return;
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
    },
  };
}
