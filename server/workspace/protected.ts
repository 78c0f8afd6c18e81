import { toKey } from "../lib/file-names.ts";

const folders = ["node_modules", ".git", ".svn", ".hg", ".ssh"].map(toKey);
const lockFiles = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lockb", "go.sum"].map(toKey);
const keyFiles = /\.(?:PEM|KEY|P12|PFX|KEYSTORE|JKS)$/;

/** Why tools may not read or write this path; undefined if they may. Users always may. */
export function findProtection(path: string): string | undefined {
  const parts = toKey(path).split("/");
  const name = parts.at(-1) ?? "";
  const folder = folders.find((one) => parts.includes(one));
  if (folder !== undefined) return `${folder.toLowerCase()} is not accessible to tools`;
  if (parts.some((part) => part.startsWith(toKey(".env")))) return "environment files contain secrets";
  if (keyFiles.test(name)) return "it is a key file";
  if (lockFiles.includes(name) || name.endsWith(toKey(".lock")))
    return "lock files are only written by package managers";
  return undefined;
}

const neverArchived = [".git", "git~1", ".svn", ".hg", ".ssh"].map(toKey);

/** Programs execute the contents of such folders, so they are not put into archives. */
export const isArchived = (path: string): boolean =>
  !toKey(path)
    .split("/")
    .some((part) => neverArchived.includes(part));

/** Worded so that the model does not take it for an error to work around. */
export const toProtectedText = (path: string, reason: string): string =>
  `${path} is protected: ${reason}. Tools can neither read nor write it. The user can, in the workspace; ask them if it matters.`;
