import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { toShare, type Group } from "./row.ts";

/**
 * The same threads in processes of their own, under other time zones, languages and memory layouts: every request, head and
 * receipt must have the same bytes.
 */
const run = promisify(execFile);

const places = [
  { TZ: "UTC", LANG: "C" },
  { TZ: "UTC", LANG: "C" },
  { TZ: "Asia/Kolkata", LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" },
  { TZ: "America/St_Johns", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
  { TZ: "Pacific/Kiritimati", LANG: "ar_EG.UTF-8", LC_ALL: "ar_EG.UTF-8" },
];

export const measureDeterminism: Group = async ({ find, wants }) => {
  if (!wants("determinism")) return [];
  const [airline, pages] = [find("tau-airline/runs.json.gz"), find("pages")];
  const script = join(import.meta.dirname, "hash-requests.ts");
  const told: string[] = [];
  for (const place of places) {
    const { stdout } = await run(process.execPath, [script, airline ?? "", pages ?? ""], { env: place });
    told.push(stdout.trim());
  }
  const [first] = told;
  return [toShare("determinism", told.filter((one) => one === first && one !== "").length, told.length)];
};
