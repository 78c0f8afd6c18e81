import { toKey } from "../lib/file-names.ts";

const folders = ["node_modules", ".git", ".svn", ".hg", ".ssh"].map(toKey);
const lockFiles = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lockb", "go.sum"].map(toKey);
const keyFiles = /\.(?:PEM|KEY|P12|PFX|KEYSTORE|JKS)$/;

/** Why tools neither read nor write this; undefined: they may. A person may, always. */
export function findProtection(path: string): string | undefined {
  const parts = toKey(path).split("/");
  const name = parts.at(-1) ?? "";
  const folder = folders.find((one) => parts.includes(one));
  if (folder !== undefined) return `${folder.toLowerCase()} is not touched by tools`;
  if (parts.some((part) => part.startsWith(toKey(".env")))) return "files of the environment hold secrets";
  if (keyFiles.test(name)) return "it is a key";
  if (lockFiles.includes(name) || name.endsWith(toKey(".lock"))) return "lock files are written by package tools only";
  return undefined;
}

const neverArchived = [".git", "git~1", ".svn", ".hg", ".ssh"].map(toKey);

/** Programs run what such folders say, as soon as somebody works where an archive was unpacked. */
export const isArchived = (path: string): boolean =>
  !toKey(path)
    .split("/")
    .some((part) => neverArchived.includes(part));

/** For the model: that it is not there to be read must not be mistaken for an error to work around. */
export const toProtectedText = (path: string, reason: string): string =>
  `${path} is protected: ${reason}. Tools can neither read nor write it. The person can, in the workspace; ask them if it matters.`;
