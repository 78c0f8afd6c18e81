import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { pickOf, letters, type Chance } from "../threads/planted.ts";

/** Lines to replace, and their replacement. */
export type Block = { readonly path: string; readonly search: readonly string[]; readonly replace: readonly string[] };

const SEARCH = /^@@@ SEARCH: (.*?) @{5,}$/;
const MIDDLE = /^@{20}$/;
const REPLACE = /^@@@ REPLACE @+$/;

/** Blocks that models wrote. One without lines to search for makes a new file, and is left out. */
export function readBlocks(path: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { path: string; search: string[]; replace: string[]; side: "search" | "replace" } | undefined;
  for (const line of gunzipSync(readFileSync(path)).toString("utf8").split(/\r?\n/)) {
    const name = SEARCH.exec(line)?.[1];
    if (name !== undefined) open = { path: name, search: [], replace: [], side: "search" };
    else if (open && open.side === "search" && MIDDLE.test(line)) open.side = "replace";
    else if (open && REPLACE.test(line)) {
      blocks.push({ path: open.path, search: open.search, replace: open.replace });
      open = undefined;
    } else open?.[open.side].push(line);
  }
  return blocks;
}

const word = (chance: Chance): string => letters(chance, 4 + Math.floor(chance() * 6), "aeioulnrstdmbcpk");

/** A function of a made-up component, with lines that every such file has. */
function toFunction(chance: Chance): readonly string[] {
  const [name, state, label] = [word(chance), word(chance), word(chance)];
  return [
    `export function ${name}({ ${state} }: Props) {`,
    "  const [open, setOpen] = useState(false);",
    ...(chance() < 0.5 ? [`  const ${label} = use${name}(${state});`] : []),
    "  if (!open) {",
    "    return null;",
    "  }",
    ...(chance() < 0.5 ? ["", `  // ${label} the ${state}, “${word(chance)}” – naïvely`] : []),
    "  return (",
    `    <div className="${label} ${word(chance)}">`,
    `      <h2>{${state}.title}</h2>`,
    `      <button onClick={() => setOpen(!open)} aria-label="${label}">`,
    `        ${word(chance)}`,
    "      </button>",
    "    </div>",
    "  );",
    "}",
    "",
  ];
}

/** Some lines of a made-up file, and others in their place. */
export function makeBlock(chance: Chance): Block {
  const lines = toFunction(chance);
  const length = 1 + Math.floor(chance() * 9);
  const start = Math.floor(chance() * (lines.length - length));
  const search = lines.slice(start, start + length);
  const at = Math.floor(chance() * length);
  const indent = /^ */.exec(search[at] ?? "")?.[0] ?? "";
  const put = Array.from({ length: Math.floor(chance() * 3) }, () => `${indent}${word(chance)}(${word(chance)});`);
  const changed = pickOf(chance, [[], [`${indent}${word(chance)}($1, "$&");`]] as const);
  return {
    path: `src/${word(chance)}.tsx`,
    search,
    replace: [...search.slice(0, at), ...changed, ...put, ...search.slice(at + 1)],
  };
}

/** Lines to stand around a block. */
export const makeFiller = (chance: Chance): readonly string[] =>
  Array.from({ length: 1 + Math.floor(chance() * 4) }, () => toFunction(chance)).flat();
