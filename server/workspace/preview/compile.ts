import { build, stop, type BuildFailure, type BuildOptions, type BuildResult, type Message } from "esbuild";
import type { Files } from "./files.ts";
import { toBuildFolders } from "./build-places.ts";
import { createWorkspacePlugin, type Entry } from "./workspace-plugin.ts";
import { readdirSync, readFileSync } from "node:fs";

type Problem = {
  readonly text: string;
  /** `path:line:column`. */
  readonly place: string | null;
  /** The source line. */
  readonly line: string;
};

export type CompileResult =
  | { readonly ok: true; readonly js: string; readonly css: string; readonly warnings: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export type CompileLimits = {
  readonly timeoutMs: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** Memory of the compiler's process. */
  readonly memoryBytes: number;
};

type Request = {
  readonly files: Files;
  readonly entry: Entry;
  readonly root: string;
  readonly toWhole: (name: string) => Promise<string>;
  readonly limits: CompileLimits;
};

const MOST_PROBLEMS = 20;
/** Longer source maps are not read, because that would block the server; errors of such pages have no location. */
const MOST_MAP = 2_000_000;

/** Fixed options: configuration files of the workspace are not read. */
export const fixedOptions = {
  bundle: true,
  write: false,
  format: "esm",
  platform: "browser",
  target: "es2022",
  charset: "utf8",
  jsx: "automatic",
  logLevel: "silent",
  legalComments: "none",
  tsconfigRaw: { compilerOptions: { jsx: "react-jsx", useDefineForClassFields: true } },
  define: {
    "process.env.NODE_ENV": '"development"',
    "import.meta.env": '{"MODE":"development","DEV":true,"PROD":false,"SSR":false,"BASE_URL":".//"}',
  },
} as const satisfies BuildOptions;

/** Compiles an entry. The result is never run on the server. Errors have a location. */
export async function compile({ files, entry, root, toWhole, limits }: Request): Promise<CompileResult> {
  const isStyle = entry.path.endsWith(".css");
  try {
    const result = await buildWithin(limits, {
      ...fixedOptions,
      entryPoints: [entry.path],
      absWorkingDir: root,
      outfile: isStyle ? "/entry.css" : "/entry.js",
      sourcemap: isStyle ? false : "external",
      sourcesContent: false,
      plugins: [createWorkspacePlugin({ files, entry, root, toWhole, mostBytes: limits.inputBytes })],
    });
    return toBuilt(result, limits.outputBytes);
  } catch (error) {
    return { ok: false, problems: toProblems(error, limits) };
  }
}

/** Kills the compiler's process if it exceeds its time or memory. Only one build runs at a time, so no other is affected. */
async function buildWithin({ timeoutMs, memoryBytes }: CompileLimits, options: BuildOptions): Promise<BuildResult> {
  const late = Promise.withResolvers<never>();
  const leave = watchCompiler(memoryBytes, () => late.reject(new NeedsTooMuch()));
  const timer = setTimeout(() => {
    void stop();
    late.reject(new TookTooLong());
  }, timeoutMs);
  try {
    return await Promise.race([build(options), late.promise]);
  } finally {
    clearTimeout(timer);
    leave();
  }
}

class TookTooLong extends Error {}
class NeedsTooMuch extends Error {}

function toBuilt({ outputFiles = [], warnings }: BuildResult, mostBytes: number): CompileResult {
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  const js = textOf(".js");
  const css = textOf(".css");
  if (js.length + css.length > mostBytes)
    return { ok: false, problems: [toProblem("The compiled page is too large.")] };
  const map = textOf(".js.map");
  // A separate first line, so that errors during module start already have a location.
  const places =
    map === "" || map.length > MOST_MAP
      ? ""
      : `__preview.places(import.meta.url, ${JSON.stringify(toBuildFolders(map, 1))});\n`;
  return {
    ok: true,
    js: js === "" ? "" : places + js,
    css,
    warnings: warnings.slice(0, MOST_PROBLEMS).map(fromMessage),
  };
}

function toProblems(error: unknown, { timeoutMs, memoryBytes }: CompileLimits): readonly Problem[] {
  if (error instanceof NeedsTooMuch) {
    void stop();
    const allowed = `${Math.round(memoryBytes / 1_000_000)} MB`;
    return [toProblem(`Compiling needs more memory than allowed (${allowed}). Make the files smaller or less nested.`)];
  }
  if (error instanceof TookTooLong) return [toProblem(`Compiling took longer than ${timeoutMs / 1000} seconds.`)];
  const messages = (error as Partial<BuildFailure>).errors;
  if (Array.isArray(messages)) return messages.slice(0, MOST_PROBLEMS).map(fromMessage);
  // The compiler exited; the next build starts a new one.
  void stop();
  return [toProblem("The compiler failed on this page. Its files may be nested too deeply.")];
}

const toProblem = (text: string): Problem => ({ text, place: null, line: "" });

function fromMessage({ text, location }: Message): Problem {
  const path = location?.file.replace(/^workspace:/, "").replace(/#\d+$/, "");
  const place = location && path !== undefined ? `${path}:${location.line}:${location.column + 1}` : null;
  return { text, place, line: location?.lineText.slice(0, 200) ?? "" };
}

const LOOK_MS = 25;

/**
 * Kills the compiler's process when it uses more memory than allowed, and calls back. esbuild does not expose its process, so it
 * is found among this process's children. Without `/proc` only the time of a build is limited.
 */
function watchCompiler(mostBytes: number, onOver: () => void): () => void {
  const timer = setInterval(() => {
    for (const pid of findCompilers()) {
      if (memoryOf(pid) <= mostBytes) continue;
      process.kill(pid, "SIGKILL");
      onOver();
    }
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function findCompilers(): readonly number[] {
  const tasks = "/proc/self/task";
  const children = list(tasks).flatMap((task) => read(`${tasks}/${task}/children`).trim().split(" "));
  return children.filter((pid) => /esbuild\0--service=/.test(read(`/proc/${pid}/cmdline`))).map(Number);
}

/** In bytes. */
const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty if the file is missing: a process may end at any time. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
