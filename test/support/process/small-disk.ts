import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

/** A small disk: a tmpfs in a mount namespace, if the system allows it. Only the command and its children see it. */
export const onSmallDisk = (folder: string, size: string, command: readonly string[]): readonly string[] => [
  "unshare",
  "-Urm",
  "sh",
  "-c",
  `mount -t tmpfs -o size=${size} none "$0" && exec "$@"`,
  folder,
  ...command,
];

/** Undefined if small disks are possible. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== "linux") return "mount namespaces need Linux";
  const [program = "", ...args] = onSmallDisk(tmpdir(), "1m", ["true"]);
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  return status === 0 ? undefined : `unshare cannot mount a tmpfs here: ${error?.message ?? stderr.trim()}`;
}
