import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { toShare, type Group } from "../row.ts";

/**
 * The same threads in separate processes, with other time zones, languages and, if available, another Node: every
 * request and compaction summary must have the same bytes. A Node that cannot run TypeScript is given the same code in one file.
 */
const run = promisify(execFile);

const places = [
  { TZ: "UTC", LANG: "C" },
  { TZ: "UTC", LANG: "C" },
  { TZ: "Asia/Kolkata", LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" },
  { TZ: "America/St_Johns", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
  { TZ: "Pacific/Kiritimati", LANG: "ar_EG.UTF-8", LC_ALL: "ar_EG.UTF-8" },
];
const script = join(import.meta.dirname, "hash-requests.ts");

export const measureDeterminism: Group = async ({ find }) => {
  const data = [find("tau-airline/runs.json.gz") ?? "", find("pages") ?? ""];
  const told: string[] = [];
  for (const env of places) told.push((await run(process.execPath, [script, ...data], { env })).stdout.trim());
  const other = await findOtherNode();
  if (other === undefined)
    process.stderr.write("determinism: there is no second Node here, so one version was measured\n");
  else told.push((await run(other, [await bundle(), ...data], { env: { TZ: "Asia/Tokyo" } })).stdout.trim());
  const [first] = told;
  return [toShare("determinism", told.filter((one) => one === first && one !== "").length, told.length)];
};

const OLDEST = 20;

/** Another version than this one, among the programs that can be called by name. */
async function findOtherNode(): Promise<string | undefined> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const program = join(folder, "node");
    if (!existsSync(program)) continue;
    const { stdout } = await run(program, ["-p", "process.version"]).catch(() => ({ stdout: "" }));
    const version = stdout.trim();
    if (version !== process.version && Number(/^v(\d+)/.exec(version)?.[1] ?? 0) >= OLDEST) return program;
  }
  return undefined;
}

/** Polyfills for the older Node come first. */
const MISSING = `Map.groupBy ??= (list, toKey) => {
  const groups = new Map();
  let n = 0;
  for (const one of list) {
    const key = toKey(one, n++);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
};`;

async function bundle(): Promise<string> {
  const { build } = await import("rolldown");
  const file = join(import.meta.dirname, "../../../node_modules/.cache/eval/hash-requests.mjs");
  await build({
    input: script,
    platform: "node",
    logLevel: "silent",
    output: { file, format: "esm", banner: MISSING },
  });
  return file;
}
