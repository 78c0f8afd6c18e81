import { cpSync, existsSync, mkdirSync, statSync } from "node:fs";
import { chmodSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { runWell } from "./packed.ts";

/** A Dockerfile, read by the rules of its reference, as far as the project's file uses them. Anything else is an error. */
export type Instruction = {
  readonly name: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly rest: string;
};
export type Stage = {
  readonly base: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
};

const known = new Set("COPY RUN WORKDIR ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT".split(" "));

export function parseDockerfile(text: string): readonly Stage[] {
  const stages: (Stage & { instructions: Instruction[] })[] = [];
  const lines = text.replace(/\\\n/g, " ").split("\n");
  for (const line of lines.map((one) => one.trim()).filter((one) => one !== "" && !one.startsWith("#"))) {
    const [, name = "", given = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === "FROM") {
      const [, base = "", stage = ""] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(given) ?? [];
      if (base === "") throw new Error(`Not understood: ${line}`);
      stages.push({ base, name: stage, instructions: [] });
      continue;
    }
    if (!known.has(name) || stages.length === 0) throw new Error(`Not understood: ${line}`);
    const flags: Record<string, string> = {};
    let rest = given;
    for (let flag = takeFlag(rest); flag; flag = takeFlag(rest)) {
      flags[flag.key] = flag.value;
      rest = flag.rest;
    }
    stages.at(-1)?.instructions.push({ name, flags, rest });
  }
  return stages;
}

function takeFlag(text: string) {
  const found = /^--([a-z-]+)=(\S+)\s+(.*)$/.exec(text);
  return found ? { key: found[1] ?? "", value: found[2] ?? "", rest: found[3] ?? "" } : undefined;
}

/** `["a", "b"]` after an optional CMD. */
export const toCommand = (rest: string): readonly string[] => JSON.parse(rest.replace(/^CMD\s+/, "")) as string[];

export const toVariables = (stage: Stage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    stage.instructions
      .filter(({ name }) => name === "ENV")
      .flatMap(({ rest }) => rest.split(/\s+/).map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string])),
  );

export type Image = {
  /** The folder used as `/`. */
  readonly root: string;
  /** The working directory in it. */
  readonly workdir: string;
};

/**
 * Performs the steps in folders, one for each stage: COPY from the project or an earlier stage, RUN with the shell in the working directory.
 * Absolute paths of COPY and WORKDIR are in the stage's folder; commands of RUN use relative paths only.
 */
export async function performSteps(stages: readonly Stage[], context: string, folder: string): Promise<Image> {
  const roots = new Map<string, string>();
  let image: Image = { root: "", workdir: "" };
  for (const [index, stage] of stages.entries()) {
    const root = join(folder, stage.name || `stage-${index}`);
    mkdirSync(root, { recursive: true });
    let workdir = root;
    for (const { name, flags, rest } of stage.instructions) {
      if (name === "WORKDIR") mkdirSync((workdir = join(root, rest)), { recursive: true });
      if (name === "RUN") await runWell("sh", ["-ec", rest], { cwd: workdir, env: { HOME: root } });
      if (name !== "COPY") continue;
      const from = flags["from"] === undefined ? context : roots.get(flags["from"]);
      if (from === undefined) throw new Error(`There is no stage ${flags["from"]}.`);
      const paths = rest.split(/\s+/);
      const target = paths.pop() ?? "";
      const place = isAbsolute(target) ? join(root, target) : join(workdir, target);
      for (const path of paths) copy(join(from, path), place, target.endsWith("/") || target === ".");
      if (flags["chmod"] !== undefined) chmodSync(place, Number.parseInt(flags["chmod"], 8));
    }
    if (stage.name !== "") roots.set(stage.name, root);
    image = { root, workdir };
  }
  return image;
}

/** A folder's content goes into the target; a file gets the target's name, or goes into it. */
function copy(source: string, target: string, isFolder: boolean): void {
  if (!existsSync(source)) throw new Error(`${source} does not exist.`);
  const place = statSync(source).isFile() && isFolder ? join(target, basename(source)) : target;
  cpSync(source, place, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/\/(node_modules\/\.cache|\.runtime)$/.test(path),
  });
}
