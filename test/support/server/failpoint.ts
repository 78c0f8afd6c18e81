import type { Failpoint } from "../../../server/run/run-context.ts";

/** `name` or `name:count`: the process kills itself when it passes that point for the count-th time, like a crash. */
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
