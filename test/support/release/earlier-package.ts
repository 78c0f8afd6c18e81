import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrations } from "../../../server/store/migrations/migrations.ts";
import { pack, root, run, runWell } from "./packed.ts";

const folderOfMigrations = "server/store/migrations";
const isMigration = (path: string): boolean => /\/\d{4}-[\w-]+\.ts$/.test(`/${path}`);
const countMigrations = (paths: readonly string[]): number => paths.filter(isMigration).length;

/** The newest commit that has fewer migrations and can be packed. None in a shallow clone. */
async function findEarlierCommit(): Promise<string | undefined> {
  const log = await run("git", ["log", "--first-parent", "--diff-filter=A", "--format=%P", "--", folderOfMigrations]);
  for (const line of log.out.split("\n")) {
    const [commit = ""] = line.split(" ");
    if (commit === "" || (await run("git", ["cat-file", "-e", `${commit}:scripts/setup/compile.js`])).code !== 0)
      continue;
    const { out } = await run("git", ["ls-tree", "--name-only", commit, `${folderOfMigrations}/`]);
    if (countMigrations(out.split("\n")) < migrations.length) return commit;
  }
  return undefined;
}

/** The files of this clone, as a fresh clone would have them if the changes were committed. */
export async function copyClone(target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  const files = await runWell("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  const archive = `${target}.tar`;
  await runWell("tar", ["-cf", archive, "--null", "--files-from=-"], { input: files });
  await runWell("tar", ["-xf", archive, "-C", target]);
}

/** Without the newest migration, if the code runs without it because it only adds or removes indexes. */
function removeNewestMigration(tree: string): void {
  const newest = migrations.at(-1);
  const statements = [...(newest?.sqlite ?? []), ...(newest?.postgres ?? [])];
  if (!statements.every((sql) => /^(?:create|drop)(?: unique)? index /.test(sql.trim()))) return;
  const path = join(tree, folderOfMigrations, "migrations.ts");
  const text = readFileSync(path, "utf8");
  const [, name = ""] = /^ {2}(\w+),\n\];/m.exec(text) ?? [];
  writeFileSync(
    path,
    text.replace(`  ${name},\n];`, "];").replace(new RegExp(`^import \\{ ${name} \\} .*\n`, "m"), ""),
  );
}

const countListed = (tree: string): number => {
  const text = readFileSync(join(tree, folderOfMigrations, "migrations.ts"), "utf8");
  return [...text.matchAll(/^import .*"\.\/\d{4}-/gm)].length;
};

/**
 * The package of an earlier version, with its schema version. It comes from the history; where that has none, as in a
 * shallow clone, it is this version without its newest migration.
 */
export async function packEarlier(version: string, folder: string): Promise<{ file: string; schema: number }> {
  const place = join(folder, version);
  const tree = join(place, "clone");
  const commit = await findEarlierCommit();
  if (commit === undefined) {
    await copyClone(tree);
    removeNewestMigration(tree);
    // The page is the same, so it need not be built again.
    cpSync(join(root, "dist"), join(tree, "dist"), { recursive: true });
  } else {
    mkdirSync(tree, { recursive: true });
    await runWell("git", ["archive", "--output", `${tree}.tar`, commit]);
    await runWell("tar", ["-xf", `${tree}.tar`, "-C", tree]);
  }
  const isSame = (name: string) => readFileSync(join(tree, name), "utf8") === readFileSync(join(root, name), "utf8");
  // Other packages are installed by its own scripts.
  if (isSame("package-lock.json")) symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  const path = join(tree, "package.json");
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, "utf8")) as object), version }));
  const schema = countListed(tree);
  if (commit === undefined) console.log(`${version} is this version without its newest migration (schema ${schema}).`);
  else console.log(`${version} is ${commit.slice(0, 8)} (schema ${schema}).`);
  return { file: await pack(place, tree), schema };
}
