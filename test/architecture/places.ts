import { toPackage } from "./arrows.ts";
import { isIn, isTest, type Rule, type Source } from "./source.ts";

/** Rules of the form "only in this folder". Tests and tools (test/, bench/, scripts/) are exempt. */
const isProduct = isIn("protocol", "server", "web");

/** Each package may be imported only in its folder. `@x/` means the whole scope. */
const homes: readonly { readonly packages: readonly string[]; readonly folder: string }[] = [
  { packages: ["kysely", "better-sqlite3", "pg", "node:sqlite"], folder: "server/store" },
  { packages: ["ai", "@ai-sdk/", "@openrouter/"], folder: "server/model" },
  { packages: ["hono", "@hono/"], folder: "server/http" },
  { packages: ["openid-client", "nodemailer", "@simplewebauthn/server"], folder: "server/sign-in" },
  { packages: ["@simplewebauthn/browser", "qr"], folder: "web" },
  { packages: ["react", "react-dom", "radix-ui"], folder: "web" },
];

export const packagesStayAtHome: Rule = (sources) =>
  sources.filter(isProduct).flatMap((source) =>
    source.imports.flatMap(({ spec }) => {
      const home = homes.find(({ packages }) => packages.some((name) => isFrom(spec, name)));
      if (!home || source.path.startsWith(`${home.folder}/`)) return [];
      return [`${source.path} imports ${spec}: only ${home.folder}/ may import it`];
    }),
  );

const isFrom = (spec: string, name: string): boolean =>
  name.endsWith("/") ? spec.startsWith(name) : toPackage(spec) === name;

const statements =
  /["'`]\s*(?:select\s[^"'`]*?\sfrom\s|SELECT\s[^"'`]*?\sFROM\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(?:table|index|unique)\s|alter\s+table\s|pragma\s+\w|begin(?:\s+immediate)?["'`])/g;
const capitals =
  /["'`]\s*(?:INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(?:TABLE|INDEX)|ALTER\s+TABLE|PRAGMA)\s/g;

export const sqlStaysInTheStore: Rule = (sources) =>
  sources
    .filter((source) => isProduct(source) && !source.path.startsWith("server/store/"))
    .flatMap((source) => [...findLines(source, "code", statements), ...findLines(source, "code", capitals)])
    .map((place) => `${place}: SQL belongs in server/store/; add a function to its contract`);

export const environmentIsReadOnce: Rule = (sources) =>
  sources
    .filter((source) => isProduct(source) && !/^server\/config(\/|\.ts$)/.test(source.path))
    .flatMap((source) => findLines(source, "bare", /\bprocess\s*(?:\.\s*env\b|\[)|\bimport\.meta\.env\b(?!\.DEV\b)/g))
    .map((place) => `${place}: settings come from server/config/, as a value`);

const clocks = /\bDate\.now\b|\bnew\s+Date\s*\(\s*\)|\bDate\(\)|\bperformance\.now\b|\bhrtime\b|\bTemporal\.Now\b/g;
const chances = /\bMath\.random\b|\brandom(?:UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b/g;

export const clockAndChanceAreGiven: Rule = (sources) =>
  sources
    .filter((source) => isIn("server", "protocol")(source) && !source.path.startsWith("server/lib/"))
    .flatMap((source) => [...findLines(source, "bare", clocks), ...findLines(source, "bare", chances)])
    .map((place) => `${place}: take a Clock or Ids from server/lib/`);

export function findLines(source: Source, part: "text" | "code" | "bare", pattern: RegExp): readonly string[] {
  const text = source[part];
  return [...text.matchAll(pattern)].map(
    (match) => `${source.path}:${text.slice(0, match.index).split("\n").length} has "${match[0].trim()}"`,
  );
}

/** Test habits that make tests unreliable: they pass regardless of the result, or by luck. */
const habits: readonly { readonly pattern: RegExp; readonly advice: string }[] = [
  { pattern: /\.toMatch(?:Inline|File)?Snapshot\b/g, advice: "state the expected value instead of a snapshot" },
  { pattern: /\bvi\.(?:mock|doMock)\(/g, advice: "pass a real or scripted part in instead of mocking a module" },
  { pattern: /\bawait\s+(?:sleep|delay|wait|setTimeout)\(\s*[\d(]/g, advice: "wait for an event, not for a time" },
  { pattern: /\b(?:test|it|describe)\.only\b/g, advice: "remove it, so that all tests run" },
];

export const testsAreHonest: Rule = (sources) =>
  sources
    .filter(isTest)
    .flatMap((source) => [
      ...habits.flatMap(({ pattern, advice }) =>
        findLines(source, "bare", pattern).map((place) => `${place}: ${advice}`),
      ),
      ...findLines(source, "code", /\b(?:test|it)(?:\.\w+)*\(\s*["'`][^"'`\n]*\bshould\b/g).map(
        (place) => `${place}: a test title states a fact, without "should"`,
      ),
    ]);
