import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * The project's files as the rules see them. A rule is a pure function from files to messages, each naming the file
 * that breaks the rule and what to do, so every rule can be tested on a bad sample.
 */
export type Import = {
  /** As written: a package, `node:fs`, or a relative path. */
  readonly spec: string;
  /** The file it resolves to, for a relative path. */
  readonly path: string | undefined;
  /** `import type`: erased at run time. `import { type X }` is not: the module is still loaded. */
  readonly isType: boolean;
};
export type Source = {
  readonly path: string;
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  /** Without comments and string contents. */
  readonly bare: string;
  readonly imports: readonly Import[];
};
export type Rule = (sources: readonly Source[]) => readonly string[];

const root = join(import.meta.dirname, "../..");
const patterns = ["protocol", "server", "cli", "web", "test", "bench", "eval", "scripts"].map(
  (name) => `${name}/**/*.{ts,tsx,js}`,
);

export function readSources(): readonly Source[] {
  const paths = globSync(patterns, { cwd: root, exclude: ["**/node_modules/**", "**/fixtures/**"] });
  return paths.toSorted().map((path) => toSource(path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")));
}

export function toSource(path: string, text: string): Source {
  const { code, bare } = strip(text);
  return { path, text, code, bare, imports: findImports(path, code) };
}

export const isTest = ({ path }: Source): boolean => /\.test\.tsx?$/.test(path);

/** Files of the product, without tests. */
export const isIn =
  (...folders: readonly string[]) =>
  (source: Source): boolean =>
    !isTest(source) && folders.some((folder) => source.path.startsWith(`${folder}/`));

const importForms: readonly RegExp[] = [
  /(?:^|[\n;}])\s*(?:import|export)\s+(type\s)?[^;"'`()]*?\sfrom\s*["']([^"']+)["']/g,
  /(?:^|[\n;}])\s*import\s*()["']([^"']+)["']/g,
  /\bimport\s*()\(\s*["']([^"']+)["']/g,
  /\bnew\s+URL\s*()\(\s*["'](\.[^"']+\.tsx?)["']/g,
];

function findImports(path: string, code: string): readonly Import[] {
  return importForms.flatMap((form) =>
    [...code.matchAll(form)].map(([, type, spec = ""]) => ({
      spec,
      path: spec.startsWith(".") ? posix.join(posix.dirname(path), spec) : undefined,
      isType: Boolean(type),
    })),
  );
}

const tokens = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g;
const regexBefore = /(?:^|[(,=:[!&|?{};\n]|return)\s*$/;

/** Handles our own formatted code: strips comments and quotes; regular expressions are left unchanged. */
function strip(text: string): { readonly code: string; readonly bare: string } {
  const regexes = findRegexes(text);
  const replace = (quoted: (token: string) => string) =>
    text.replace(tokens, (token, at: number) => {
      if (regexes.some(([from, to]) => at >= from && at < to)) return token;
      return token.startsWith("/") ? token.replace(/[^\n]/g, " ") : quoted(token);
    });
  return {
    code: replace((token) => token),
    bare: replace((token) => (token.startsWith("`") ? keepHoles(token) : token.replace(/[^\n]/g, " "))),
  };
}

/** In a template, only the contents of `${}` are code. */
const keepHoles = (template: string): string =>
  template
    .split(/(\$\{[^}]*\})/)
    .map((piece) => (piece.startsWith("${") ? piece : piece.replace(/[^\n]/g, " ")))
    .join("");

function findRegexes(text: string): readonly (readonly [number, number])[] {
  const found = text.matchAll(/\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/g);
  return [...found].flatMap((match) =>
    regexBefore.test(text.slice(0, match.index)) ? [[match.index, match.index + match[0].length] as const] : [],
  );
}
