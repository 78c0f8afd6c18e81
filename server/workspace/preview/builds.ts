import { build } from "esbuild";
import { root } from "../../lib/root.ts";
import { workspaceLimits } from "../../../protocol/workspace/limits.ts";
import type { Files } from "./files.ts";
import { packages } from "./packages.ts";
import { compile, fixedOptions, type CompileResult, type CompileLimits } from "./compile.ts";
import type { Entry } from "./workspace-plugin.ts";

const KEPT = { builds: 48, characters: 64_000_000 };

export type Builds = { readonly get: (files: Files, entry: Entry) => Promise<CompileResult> };

const usual: CompileLimits = {
  timeoutMs: 20_000,
  inputBytes: workspaceLimits.totalBytes,
  outputBytes: 2 * workspaceLimits.totalBytes,
  memoryBytes: 768_000_000,
};

/** Caches recent builds by file hash. Concurrent requests for one build share it. */
export function createBuilds(limits: CompileLimits = usual): Builds {
  const kept = new Map<string, Promise<CompileResult>>();
  const wholes = new Map<string, Promise<string>>();
  const sizes = new Map<string, number>();
  const take = createTurns();

  /** Keeps the newest build, regardless of its size. */
  const trim = (): void => {
    let held = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const key of [...kept.keys()].slice(0, -1)) {
      if (kept.size <= KEPT.builds && held <= KEPT.characters) return;
      held -= sizes.get(key) ?? 0;
      kept.delete(key);
      sizes.delete(key);
    }
  };

  const toWhole = (name: string): Promise<string> => {
    const known = wholes.get(name);
    if (known) return known;
    const made = makeWhole(name);
    wholes.set(name, made);
    made.catch(() => wholes.delete(name));
    return made;
  };

  return {
    get: (files, entry) => {
      const key = `${files.project} ${files.hash} ${entry.path}`;
      const known = kept.get(key);
      if (known) {
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      const made = take(() => compile({ files, entry, root, toWhole, limits }));
      kept.set(key, made);
      const weigh = async (): Promise<void> => {
        const built = await made;
        if (kept.get(key) === made) sizes.set(key, built.ok ? built.js.length + built.css.length : 0);
        trim();
      };
      weigh().catch(() => kept.delete(key));
      return made;
    },
  };
}

async function makeWhole(name: string): Promise<string> {
  const { outputFiles } = await build({
    ...fixedOptions,
    entryPoints: [name],
    absWorkingDir: root,
    outfile: "/whole.js",
    external: Object.keys(packages).filter((other) => other !== name),
  });
  return outputFiles[0]?.text ?? "";
}

/** Runs tasks one after the other. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
