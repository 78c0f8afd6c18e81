import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { judge } from "./ambiguity.ts";
import { collect, type ConstructedExpression, type RegexLiteral } from "./collect.ts";
import { builtFromEscaped, exceptions, isShortInput } from "./exceptions.ts";

/**
 * Fails on every regular expression of the product that can take more than linear time on some text. Literals are read
 * from the source; expressions built with `new RegExp` are recorded while their module is imported, so they must be
 * built at module level and not in a function.
 */
const files = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "protocol", "server", "web", "cli"],
  { encoding: "utf8" },
)
  .split("\n")
  .filter((path) => existsSync(path) && /\.tsx?$/.test(path) && !path.includes(".test."));
const read = files.map((path) => collect(path));
const constructed = read.flatMap((file) => file.constructed);
const { built, unseen } = await watchConstruction(constructed);

const found = [...read.flatMap((file) => file.literals), ...built];
const verdicts = readVerdicts();
const used = new Set<string>();
const faults: string[] = unseen
  .filter(({ path }) => !builtFromEscaped.has(path) && !isShortInput(path))
  .map(
    ({ path, line }) =>
      `${path}:${line} builds a regular expression inside a function. Build it while the module loads, or use RE2JS.`,
  );
for (const { place, source, flags } of found) {
  const key = `/${source}/${flags}`;
  const isShort = isShortInput(place);
  const memo = `${key} ${isShort}`;
  if (!verdicts.has(memo)) verdicts.set(memo, judge(source, flags, { isShort }));
  const verdict = verdicts.get(memo);
  if (!verdict) continue;
  if (exceptions.has(key)) used.add(key);
  else faults.push(`${place} ${key}\n    ${verdict.kind}: ${verdict.detail}`);
}
for (const key of exceptions.keys())
  if (!used.has(key)) faults.push(`test/regex/exceptions.ts lists ${key}, which needs no exception.`);

writeVerdicts();
process.stdout.write(
  `${faults.map((fault) => `${fault}\n`).join("")}${found.length} regular expressions, ${faults.length} faults\n`,
);
process.exit(faults.length === 0 ? 0 : 1);

/** Judging takes most of the time, so verdicts are stored, under a name that changes with the code that made them. */
function toVerdictFile(): string {
  const code = ["ambiguity.ts", "automaton.ts"].map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));
  const name = createHash("sha256").update(code.join("")).digest("hex").slice(0, 16);
  return join(import.meta.dirname, "../../.runtime/regex", `${name}.json`);
}

function readVerdicts(): Map<string, ReturnType<typeof judge>> {
  try {
    return new Map(JSON.parse(readFileSync(toVerdictFile(), "utf8")) as [string, ReturnType<typeof judge>][]);
  } catch {
    return new Map();
  }
}

function writeVerdicts(): void {
  mkdirSync(join(toVerdictFile(), ".."), { recursive: true });
  writeFileSync(toVerdictFile(), JSON.stringify([...verdicts]));
}

/**
 * Imports the modules that construct expressions and records each with the line that built it. If a module only offers a function
 * that builds them, the server modules that import it are loaded too.
 */
async function watchConstruction(
  places: readonly ConstructedExpression[],
): Promise<{ readonly built: readonly RegexLiteral[]; readonly unseen: readonly ConstructedExpression[] }> {
  const built: RegexLiteral[] = [];
  const seen = new Set<string>();
  const record = (expression: RegExp): RegExp => {
    for (const [, path = "", line = ""] of (new Error().stack ?? "").matchAll(
      /file:\/\/([^\s):]{1,300}):(\d{1,6}):/g,
    )) {
      const place = places.find((each) => pathToFileURL(each.path).pathname === path && each.line === Number(line));
      if (!place) continue;
      seen.add(`${place.path}:${place.line}`);
      built.push({ place: `${place.path}:${place.line}`, source: expression.source, flags: expression.flags });
      break;
    }
    return expression;
  };
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct: (target, args, newTarget) => record(Reflect.construct(target, args, newTarget) as RegExp),
    apply: (target, self, args) => record(Reflect.apply(target, self, args) as RegExp),
  });
  const listUnseen = () => places.filter(({ path, line }) => !seen.has(`${path}:${line}`));
  const load = async (paths: readonly string[]): Promise<void> => {
    for (const path of new Set(paths)) await import(pathToFileURL(path).href);
  };
  await load(places.map(({ path }) => path));
  const offered = new Set(listUnseen().flatMap(({ path }) => (builtFromEscaped.has(path) ? [] : [path])));
  await load(files.filter((path) => path.startsWith("server/") && listImports(path).some((one) => offered.has(one))));
  globalThis.RegExp = original;
  return { built, unseen: listUnseen() };
}

function listImports(path: string): readonly string[] {
  const specs = readFileSync(path, "utf8").matchAll(/ from "(\.[^"]{1,200})"/g);
  return [...specs].map(([, spec = ""]) => posix.join(posix.dirname(path), spec));
}
