import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { findPageStrings } from "./page-strings.ts";
import { findPhrases } from "./find-phrases.ts";

/**
 * Fails on the phrases of phrases.ts in comments, prose strings, test titles and documents, and on text of the page outside its
 * catalog. `node test/words/check.ts server/run` checks one folder.
 */
const folders = process.argv.slice(2);
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...folders], {
  encoding: "utf8",
})
  .split("\n")
  .filter(
    (path) =>
      existsSync(path) && /\.(?:tsx?|js|md)$/.test(path) && !/fixtures\/|test\/words\/|package-lock|LICENSE/.test(path),
  );

let words = 0;
const faults = files.flatMap((path) => {
  const text = readFileSync(path, "utf8");
  const result = findPhrases(path, text);
  words += result.words;
  return [...result.faults, ...findPageStrings(path, text)];
});
process.stdout.write(`${faults.map((fault) => `${fault}\n`).join("")}${words} words, ${faults.length} faults\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
