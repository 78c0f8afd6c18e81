import { chmodSync, statSync } from "node:fs";

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;

/** True when other users had access and this removed it. A file of another owner stays as it is. */
export function removeOthersAccess(path: string, mode: number): boolean {
  if (!isOpenToOthers(path)) return false;
  try {
    chmodSync(path, mode);
  } catch {
    return false;
  }
  return !isOpenToOthers(path);
}

/** Always false on Windows, where modes say nothing. */
export const isOpenToOthers = (path: string): boolean =>
  process.platform !== "win32" && (statSync(path).mode & OTHERS) !== 0;
