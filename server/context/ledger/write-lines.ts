import type { LedgerEntry } from "./entry.ts";
import { toPattern } from "./weigh.ts";

/**
 * Values as lines: a heading for each tool with the columns that its calls share, then a line for each call, oldest first.
 *
 *     get_order (items.sku; payment):
 *     m4 A1044: X-1 X-7; card_3391
 *     m9 A1050: X-2; card_3391; status cancelled
 *
 * Rows of a list with several columns are written `a,b c,d`. Values other than plain words are quoted as JSON.
 */
export function writeLines(entries: readonly LedgerEntry[]): readonly string[] {
  const said = entries.filter(isSaid);
  const tools = Map.groupBy(
    entries.filter((entry) => !isSaid(entry)),
    ({ tool }) => tool,
  );
  return [...toSaidLines(said), ...[...tools].flatMap(([tool, own]) => toToolLines(tool, own))];
}

const isSaid = ({ tool }: LedgerEntry): boolean => tool === "person" || tool === "assistant";

const toSaidLines = (said: readonly LedgerEntry[]): readonly string[] =>
  [...Map.groupBy(said, ({ tool }) => tool)].map(([who, entries]) => {
    const words = [...Map.groupBy(entries, ({ depth }) => depth)].map(
      ([depth, own]) => `m${depth} ${own.map(({ value }) => quoteValue(value)).join(" ")}`,
    );
    return `mentioned by the ${who === "person" ? "user" : who}: ${words.join(" ")}`;
  });

type LedgerCall = {
  readonly depth: number;
  readonly asked: string;
  readonly previews: readonly string[];
  readonly tables: Tables;
};

function toToolLines(tool: string, entries: readonly LedgerEntry[]): readonly string[] {
  const groups = Map.groupBy(entries, ({ depth, call, args }) => `${depth} ${call} ${args}`);
  const calls = [...groups.values()].map(toCall).toSorted((a, b) => a.depth - b.depth);
  const shared = listShared(calls);
  const [only] = calls;
  if (calls.length === 1 && only) return [`${tool} m${only.depth} ${toLine(only, [])}`];
  const heading = shared.length === 0 ? `${tool}:` : `${tool} (${shared.map(({ heading: name }) => name).join("; ")}):`;
  let depth = -1;
  const lines = calls.map((call) => {
    const at = call.depth === depth ? "" : `m${call.depth} `;
    depth = call.depth;
    return `${at}${toLine(call, shared)}`;
  });
  return [heading, ...lines];
}

function toCall(entries: readonly LedgerEntry[]): LedgerCall {
  const { depth = 0, args = "" } = entries[0] ?? {};
  // The hash at the end only distinguishes calls.
  const asked = args.replace(/#[0-9a-z]+$/, "");
  return {
    depth,
    asked: asked === "" || plainList.test(asked) ? asked : JSON.stringify(asked),
    previews: entries.filter(({ kind }) => kind === "gist").map(({ value }) => JSON.stringify(value)),
    tables: toTables(entries.filter(({ kind, value }) => kind !== "gist" && value !== asked)),
  };
}

/** Columns that at least half of the calls have. */
function listShared(calls: readonly LedgerCall[]): readonly Heading[] {
  const filled = new Map<string, number>();
  for (const { tables } of calls)
    for (const heading of tables.keys()) filled.set(heading, (filled.get(heading) ?? 0) + 1);
  return [...filled].filter(([, count]) => count >= 2 && count * 2 >= calls.length).map(([heading]) => ({ heading }));
}

type Heading = { readonly heading: string };

function toLine({ asked, previews, tables }: LedgerCall, shared: readonly Heading[]): string {
  const own = [...tables].filter(([heading]) => !shared.some((one) => one.heading === heading));
  const cells = shared.map(({ heading }) => tables.get(heading) ?? "");
  const values = [...previews, ...trimEnd(cells), ...own.map(([heading, text]) => `${heading} ${text}`.trim())];
  return values.length === 0 ? asked : `${asked === "" ? "" : `${asked}: `}${values.join("; ")}`;
}

const trimEnd = (cells: readonly string[]): readonly string[] =>
  cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1);

/** Text by heading. Values of the same list share a heading; values outside of lists have one each. */
type Tables = ReadonlyMap<string, string>;
type Row = Map<string, string>;

function toTables(entries: readonly LedgerEntry[]): Tables {
  const lists = new Map<string, Map<string, Row>>();
  for (const { path, value } of entries) {
    const names = path.split(".");
    const at = toPattern(path).split(".").lastIndexOf("*");
    const place = names.slice(0, at + 1).join(".");
    const column = names.slice(at + 1).join(".");
    const list = at < 0 ? path : toPattern(place);
    const rows = lists.get(list) ?? new Map<string, Row>();
    const row: Row = rows.get(place) ?? new Map();
    const text = quoteValue(value);
    row.set(column, row.has(column) ? `${row.get(column)} ${text}` : text);
    rows.set(place, row);
    lists.set(list, rows);
  }
  return new Map([...lists].map(([list, rows]) => toTable(list, [...rows.values()])));
}

function toTable(list: string, rows: readonly Row[]): readonly [heading: string, text: string] {
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const title = list.replace(/(?:^|\.)\*/g, "");
  const name = columns.length === 1 ? (list.endsWith("*") ? (columns[0] ?? "") : "") : `[${columns.join(",")}]`;
  const heading = name === "" || title === "" || name.startsWith("[") ? `${title}${name}` : `${title}.${name}`;
  const text = rows.map((row) => columns.map((column) => row.get(column) ?? "-").join(","));
  return [heading, text.join(" ")];
}

const plain = /^[\p{L}\p{N}_@.:/#+~$€£%-]+$/u;
const plainList = /^[\p{L}\p{N}_@.:/#+~$€£%-]+(?:, [\p{L}\p{N}_@.:/#+~$€£%-]+)*$/u;

/** Plain words need no quotes. */
const quoteValue = (value: string): string => (plain.test(value) ? value : JSON.stringify(value));
