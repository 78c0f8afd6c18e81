import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { findPhrases } from "./find-phrases.ts";

/**
 * Fails on the phrases of phrases.ts in comments, prose strings, test titles and documents.
 * `node test/words/check.ts server/run` checks one folder.
 */
const folders = process.argv.slice(2);
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...folders], {
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.(?:tsx?|js|md)$/.test(path) && !/fixtures\/|test\/words\/|package-lock|LICENSE/.test(path));

let words = 0;
const faults = files.flatMap((path) => {
  const result = findPhrases(path, readFileSync(path, "utf8"));
  words += result.words;
  return result.faults;
});
process.stdout.write(
  `${faults.map((fault) => `${fault}\n`).join("")}${words} words, ${faults.length} phrases to replace\n`,
);
process.exitCode = faults.length === 0 ? 0 : 1;
