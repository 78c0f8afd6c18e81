import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * One item of the five documents that this project began with. Exactly one state: `works` (nothing else is set), `replaced` (the
 * reason), `definition` (a term and its equivalent here; nothing to build), or `open` (the missing part).
 */
export type Item = {
  readonly id: string;
  readonly says: string;
  readonly replaced?: string;
  readonly definition?: string;
  readonly open?: string;
  readonly file?: string;
  /** `path > title`, where the title may be the beginning of it. */
  readonly test?: string;
};

export const root: string = join(import.meta.dirname, "../..");

/** The documents and how many items each has. */
const documents = [
  { name: "Web research", items: 61 },
  { name: "Autopilot", items: 48 },
  { name: "Projects", items: 53 },
  { name: "Builder", items: 34 },
  { name: "Assistant", items: 114 },
] as const;

export const expectedIds: readonly string[] = documents.flatMap(({ items }, document) =>
  Array.from({ length: items }, (_, index) => `S${document}-${index + 1}`),
);

const pathOf = (document: number): string => join(root, `docs/requirements/s${document}.json`);

const readDocument = (document: number): readonly Item[] =>
  existsSync(pathOf(document)) ? (JSON.parse(readFileSync(pathOf(document), "utf8")) as readonly Item[]) : [];

export const readItems = (): readonly Item[] => documents.flatMap((_, document) => readDocument(document));

/** The fault of an item in words; undefined if it has none. */
export function findFault(item: Item): string | undefined {
  const states = [item.replaced, item.definition, item.open].filter((reason) => reason !== undefined);
  if (states.length > 1) return "has two states";
  if (states.some((reason) => reason.length < 10)) return "has no reason";
  if (item.says.length < 10) return "has no description";
  if (item.open !== undefined) return undefined;
  if (item.file === undefined || !existsSync(join(root, item.file))) return `names no file that exists: ${item.file}`;
  if (item.definition !== undefined && item.test === undefined) return undefined;
  return findTestFault(item.test);
}

/** A test is named by the path of its file and its title, which begins with these words once in that file. */
function findTestFault(test = ""): string | undefined {
  const [path = "", title = ""] = splitTest(test);
  if (title.length < 3 || !existsSync(join(root, path))) return `names no test: ${test}`;
  const source = readFileSync(join(root, path), "utf8");
  const found = ['"', "`"].reduce((count, quote) => count + source.split(quote + title).length - 1, 0);
  return found === 1 ? undefined : `names a title that is ${found} times in its file: ${test}`;
}

const splitTest = (test: string): readonly string[] => {
  const at = test.indexOf(" > ");
  return at < 0 ? [test] : [test.slice(0, at), test.slice(at + 3)];
};

/** `docs/requirements.md`. */
export function renderTable(items: readonly Item[]): string {
  const count = (state: string): number => items.filter((item) => stateOf(item) === state).length;
  const sections = documents.map(({ name }, document) => {
    const rows = items.filter(({ id }) => id.startsWith(`S${document}-`)).map(renderRow);
    return [
      `## ${name} (S${document})`,
      "",
      "| item | requirement | state | file | test |",
      "|---|---|---|---|---|",
      ...rows,
    ].join("\n");
  });
  return `# Requirements

Stonechat began with five documents about other chats. This table lists every item of them, the file that does it here, and a test that
fails if it stops working. \`npm run fix\` writes it from \`docs/requirements/*.json\`; \`test/requirements/requirements.test.ts\` fails if an
item, a file or a test is missing.

Of ${expectedIds.length} items, ${count("works")} work as described, ${count("replaced")} are replaced on purpose (the state says by what), ${count("definition")} are definitions with nothing to build, and ${count("open")} are open.

${sections.join("\n\n")}
`;
}

const stateOf = ({ replaced, definition, open }: Item): string =>
  replaced !== undefined ? "replaced" : definition !== undefined ? "definition" : open !== undefined ? "open" : "works";

function renderRow(item: Item): string {
  const reason = item.replaced ?? item.definition ?? item.open;
  const state = reason === undefined ? "works" : `*${stateOf(item)}*: ${reason}`;
  const file = item.file === undefined ? "" : `[${item.file}](../${item.file})`;
  const [path, title] = splitTest(item.test ?? "");
  const test = path ? `[${path}](../${path}): ${title}` : "";
  return `| ${[item.id, item.says, state, file, test].map(escapeCell).join(" | ")} |`;
}

const escapeCell = (text: string): string => text.replaceAll("|", "\\|");
