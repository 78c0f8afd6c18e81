import type { MessageView } from "../../../protocol/fold.ts";
import { isTerminal, type PartOf } from "../../../protocol/parts.ts";
import type { Counter, LedgerCall, LedgerEntry, LedgerLimits, LedgerTurn } from "./entry.ts";
import { listIds, listWords } from "./kinds.ts";
import { readCall } from "./read-call.ts";
import { toPattern, weighAll } from "./weigh.ts";
import { chooseLines } from "./choose.ts";

/**
 * The ledger collects ids and scalar values from finished tool calls and messages, with their origin, the newest of each. It is
 * rendered as lines within a budget. It never reads older messages again, has at most `entries` values, and adds nothing that
 * was not in the source.
 */
export type { Counter, LedgerCall, LedgerEntry, LedgerLimits, LedgerTurn } from "./entry.ts";

const LEDGER_LIMITS: LedgerLimits = { entries: 500, perCall: 60 };

export function foldLedger(
  entries: readonly LedgerEntry[],
  turns: readonly LedgerTurn[],
  limits: LedgerLimits = LEDGER_LIMITS,
): readonly LedgerEntry[] {
  let ledger = entries;
  for (const { depth, role, text, calls } of turns) {
    if (role === "user") ledger = recordSaid(ledger, text, depth, "person");
    for (const call of calls) {
      ledger = markUsed(ledger, listWords(JSON.stringify(call.input ?? "")), depth);
      ledger = supersede(ledger, readCall(call, depth, limits.perCall), call.ok);
    }
    if (role === "assistant") ledger = recordSaid(ledger, text, depth, "assistant");
    // Keeps the cost per turn bounded when many turns are folded at once.
    if (ledger.length > 2 * limits.entries) ledger = keepBest(ledger, limits.entries);
  }
  return keepBest(ledger, limits.entries);
}

type RenderedLedger = {
  readonly text: string;
  readonly tokens: number;
  readonly kept: number;
  readonly dropped: number;
};

export const renderLedger = (entries: readonly LedgerEntry[], budgetTokens: number, count: Counter): RenderedLedger =>
  chooseLines(weighAll(entries), budgetTokens, count);

/** Records ids in a message: known ids count as used, new ones are added. */
function recordSaid(ledger: readonly LedgerEntry[], text: string, depth: number, tool: "person" | "assistant") {
  if (text === "") return ledger;
  const used = markUsed(ledger, listWords(text), depth);
  const known = new Set(ledger.map(({ value }) => value));
  const said = listIds(text)
    .filter((value) => !known.has(value))
    .slice(0, MOST_SAID)
    .map((value): LedgerEntry => {
      const place = { tool, call: `m${depth}`, args: "", about: "", kind: "id" as const, depth, path: "" };
      return { ...place, value, uses: 0, lastUsed: depth };
    });
  return said.length === 0 ? used : [...used, ...said];
}

const MOST_SAID = 30;

const markUsed = (ledger: readonly LedgerEntry[], words: ReadonlySet<string>, depth: number): readonly LedgerEntry[] =>
  ledger.map((entry) =>
    entry.kind === "id" && words.has(entry.value) ? { ...entry, uses: entry.uses + 1, lastUsed: depth } : entry,
  );

/** A repeated call replaces its earlier values. A different call about the same subject replaces the columns that it returns. */
function supersede(
  ledger: readonly LedgerEntry[],
  brought: readonly LedgerEntry[],
  ok: boolean,
): readonly LedgerEntry[] {
  const [first] = brought;
  if (!first) return ledger;
  if (!ok) return [...ledger, ...brought];
  const columns = new Set(brought.map(({ path }) => toPattern(path)));
  const isOld = (entry: LedgerEntry): boolean =>
    (entry.tool === first.tool && entry.args === first.args) ||
    (entry.about === first.about && columns.has(toPattern(entry.path)));
  const old = new Map(ledger.filter(isOld).map((entry) => [entry.value, entry.uses]));
  return [
    ...ledger.filter((entry) => !isOld(entry)),
    ...brought.map((entry) => ({ ...entry, uses: old.get(entry.value) ?? entry.uses })),
  ];
}

function keepBest(ledger: readonly LedgerEntry[], most: number): readonly LedgerEntry[] {
  if (ledger.length <= most) return ledger;
  const weighed = weighAll(ledger).map(({ weight }, at) => ({ weight, at }));
  const kept = new Set(
    weighed
      .toSorted((a, b) => b.weight - a.weight || b.at - a.at)
      .slice(0, most)
      .map(({ at }) => at),
  );
  return ledger.filter((_, at) => kept.has(at));
}

type ToolPart = PartOf<"tool">;

/** The preview that a tool provides for a call, if any. */
type PreviewOf = (part: ToolPart) => string | undefined;

/** Messages as the ledger reads them: their text and their finished calls. */
export const toLedgerTurns = (
  messages: readonly MessageView[],
  previewOf: PreviewOf = ({ gist }) => gist,
): readonly LedgerTurn[] =>
  messages.map(({ depth, role, parts }) => {
    const live = parts.filter((part) => part.aside === undefined);
    return {
      depth,
      role: role === "user" ? "user" : "assistant",
      text: live.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n"),
      calls: live.flatMap((part) => (part.kind === "tool" && isTerminal(part.state) ? [toCall(part, previewOf)] : [])),
    };
  });

function toCall(part: ToolPart, previewOf: PreviewOf): LedgerCall {
  const { callId, output, state, errorText } = part;
  const { name, input } = toMeant(part);
  const ok = state === "ok";
  const preview = ok ? previewOf(part) : undefined;
  return {
    id: callId,
    tool: name,
    input,
    output,
    ok,
    ...(ok ? {} : { error: errorText ?? state }),
    ...(preview === undefined ? {} : { preview }),
  };
}

/** `use_tool` is a wrapper: its input names the real tool. */
function toMeant({ name, input }: ToolPart): Pick<ToolPart, "name" | "input"> {
  const meant = (typeof input === "object" ? input : null) as {
    readonly name?: unknown;
    readonly input?: unknown;
  } | null;
  return name === "use_tool" && typeof meant?.name === "string"
    ? { name: meant.name, input: meant.input }
    : { name, input };
}
