import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVitest, type Vitest } from "vitest/node";
import { listMutants, type Mutant } from "./mutants.ts";
import { targets, type Target } from "./targets.ts";

const root = join(import.meta.dirname, "../..");

export type Score = { readonly killed: number; readonly all: number; readonly survivors: readonly string[] };

/**
 * Runs the tests of a target once for each mutant, in a copy of the sources, and counts the mutants that a test notices. A worker thread
 * or a process that a test starts runs the mutant as well, because it is written to the disk.
 */
export async function scoreTarget(
  { files, tests, only }: Target,
  onMutant: (line: string) => void = () => {},
): Promise<Score> {
  const copy = mkdtempSync(join(tmpdir(), "mutation-"));
  try {
    for (const name of ["protocol", "server", "test/support", "package.json", "tsconfig.base.json", ...tests]) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const vitest = await createVitest("test", {
      ...{ root: copy, config: false, watch: false, pool: "forks", maxWorkers: 1, isolate: true, bail: 1 },
      ...{ include: [...tests], reporters: [{}], testTimeout: 60_000, hookTimeout: 60_000 },
      ...(only === undefined ? {} : { testNamePattern: only }),
    });
    try {
      if (!(await passes(vitest, tests, null))) throw new Error(`The tests fail without a mutant: ${tests.join(", ")}`);
      return await scoreFiles({ vitest, copy, tests, files, onMutant });
    } finally {
      await vitest.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

type Scoring = {
  readonly vitest: Vitest;
  readonly copy: string;
  readonly tests: readonly string[];
  readonly files: readonly string[];
  readonly onMutant: (line: string) => void;
};

async function scoreFiles({ vitest, copy, tests, files, onMutant }: Scoring): Promise<Score> {
  const survivors: string[] = [];
  let all = 0;
  for (const file of files) {
    const path = join(copy, file);
    const original = readFileSync(path, "utf8");
    for (const mutant of listMutants(file, original)) {
      all += 1;
      writeFileSync(path, mutant.text);
      const survives = await passes(vitest, tests, path);
      const line = describe(file, mutant);
      if (survives) survivors.push(line);
      onMutant(`${survives ? "survived" : "killed  "} ${line}`);
    }
    writeFileSync(path, original);
    vitest.invalidateFile(path);
  }
  return { killed: all - survivors.length, all, survivors };
}

const describe = (file: string, { line, change }: Mutant): string => `${file}:${line} ${change}`;

async function passes(vitest: Vitest, tests: readonly string[], changed: string | null): Promise<boolean> {
  if (changed !== null) vitest.invalidateFile(changed);
  const specifications = await vitest.globTestSpecifications([...tests]);
  if (specifications.length !== tests.length) throw new Error("Some test files were not found.");
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true);
  vitest.state.clearErrors();
  return unhandledErrors.length === 0 && testModules.every((module) => module.ok());
}

/** `node test/mutation/run.ts [TARGET]...`: prints each mutant and the score of each target. */
if (process.argv[1] === import.meta.filename) {
  const wanted = process.argv.slice(2);
  for (const name of wanted.length > 0 ? wanted : Object.keys(targets)) {
    const target = targets[name];
    if (!target) throw new Error(`Unknown target ${name}. There are ${Object.keys(targets).join(", ")}.`);
    const { killed, all, survivors } = await scoreTarget(target, console.log);
    console.log(`${name}: ${killed} of ${all} killed (${((100 * killed) / all).toFixed(1)} %)`);
    for (const survivor of survivors) console.log(`  survived: ${survivor}`);
  }
}
