import { chmodSync, statSync } from "node:fs";

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;

/** Returns true if other users had access and it was removed. A file of another owner is left unchanged. */
export function removeOthersAccess(path: string, mode: number): boolean {
  if (!isOpenToOthers(path)) return false;
  try {
    chmodSync(path, mode);
  } catch {
    return false;
  }
  return !isOpenToOthers(path);
}

/** Always false on Windows, which has no such modes. */
export const isOpenToOthers = (path: string): boolean =>
  process.platform !== "win32" && (statSync(path).mode & OTHERS) !== 0;
