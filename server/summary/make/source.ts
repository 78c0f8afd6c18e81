import type { MessageView } from "../../../protocol/fold.ts";
import type { SummaryFields } from "../../../protocol/context/summary.ts";
import { isTerminal, type PartOf } from "../../../protocol/parts.ts";
import { joinSources, readSources, untrustedIn, type Sources } from "../../../protocol/context/untrusted.ts";
import { extractSummary, type WeighedTurn } from "../../context/extract.ts";
import { clipToTokens } from "../../lib/split-sentences.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { RowOf } from "../../store/schema.ts";
import { readSource, type SummarySource } from "../check.ts";
import { stripControl } from "../injected.ts";
import { mergeFields } from "./merge-fields.ts";
import { toTextRow } from "../../thread/rows.ts";

/** The source of a summary. */
export type Material = {
  /** The text sent to the model: one JSON object per line. `most`: messages are shortened to fit this many tokens, if possible. */
  readonly lines: (most?: number) => readonly string[];
  readonly source: SummarySource;
  readonly untrusted: Sources;
  readonly tokens: number;
  /** Summarizes without a model. */
  readonly extract: (budgetTokens: number) => SummaryFields;
};

export function fromMessages(messages: readonly MessageView[], tokens: number): Material {
  const turns = messages.map(toTurn);
  const usual = Math.min(
    MOST_TOKENS_EACH,
    Math.max(LEAST_TOKENS_EACH, Math.floor(PROMPT_TOKENS / Math.max(1, turns.length))),
  );
  const write = (each: number) =>
    turns.map(({ depth, role, text, tools }) =>
      JSON.stringify({
        m: depth,
        who: role,
        text: shorten(text, each),
        ...(tools.length === 0
          ? {}
          : { tools: tools.map(({ name, digest }) => ({ tool: name, gave: shorten(digest, Math.ceil(each / 2)) })) }),
      }),
    );
  const names = turns.flatMap(({ tools }) => tools.map(({ name }) => name));
  return {
    lines: (most = Infinity) => {
      let each = usual;
      let lines = write(each);
      while (each > SHORTEST && countTokens(lines.join("\n")) > most) lines = write((each = Math.floor(each * 0.8)));
      return lines;
    },
    source: readSource(
      messages
        .flatMap((message, at) => [turns[at]?.text ?? "", ...message.parts.filter(isCall).map(toWhole)])
        .join("\n"),
      names,
    ),
    untrusted: joinSources(...messages.map(({ parts }) => untrustedIn(parts))),
    tokens,
    extract: (budget) => extractSummary(turns, budget, countTokens),
  };
}

type Child = { readonly row: RowOf<"summaries">; readonly fields: SummaryFields };

/** The source of a merge is the texts of its summaries, so no new facts can be added. */
export function fromChildren(children: readonly Child[]): Material {
  const all = children.map(({ fields }) => fields);
  return {
    lines: () =>
      children.map(({ row, fields }) => JSON.stringify({ m: `${row.from_depth}-${row.to_depth}`, ...fields })),
    source: readSource(
      all.map((fields) => JSON.stringify(fields)).join("\n"),
      all.flatMap(({ toolResults }) => toolResults.map(({ toolName }) => toolName)),
    ),
    untrusted: joinSources(...children.map(({ row }) => readSources(row.untrusted))),
    tokens: children.reduce((sum, { row }) => sum + row.tokens, 0),
    extract: (budget) => mergeFields(all, budget),
  };
}

const PROMPT_TOKENS = 6_000;
const MOST_TOKENS_EACH = 1_500;
const LEAST_TOKENS_EACH = 60;
/** Minimum tokens of a message in a small window. */
const SHORTEST = 20;
const LONGEST_DIGEST = 4_000;

const isCall = (part: MessageView["parts"][number]): part is PartOf<"tool"> =>
  part.kind === "tool" && part.aside === undefined && isTerminal(part.state);

export const toTurn = ({ depth, role, createdAt, parts }: MessageView): WeighedTurn => ({
  depth,
  role,
  at: createdAt,
  text: stripControl(toTextRow(parts)),
  tools: parts.filter(isCall).map((part) => ({ name: nameOf(part), digest: stripControl(toDigest(part)) })),
});

/** The tool's name; for `use_tool`, the tool that it wraps. */
function nameOf({ name, input }: PartOf<"tool">): string {
  const inner = (input as { name?: unknown } | undefined)?.name;
  return name === "use_tool" && typeof inner === "string" ? inner : name;
}

const toDigest = (part: PartOf<"tool">): string => (part.gist ?? part.digest ?? toWhole(part)).slice(0, LONGEST_DIGEST);

const toWhole = ({ state, output, errorText, input, digest = "" }: PartOf<"tool">): string => {
  const said = state === "ok" ? toText(output) : (errorText ?? state);
  return stripControl(`${digest}\n${toText(input)}\n${said}`);
};

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

/** Keeps the beginning and the end. */
function shorten(text: string, tokens: number): string {
  const whole = countTokens(text);
  if (whole <= tokens) return text;
  const start = clipToTokens(text, Math.floor(tokens * 0.6), countTokens);
  const room = Math.floor((text.length * tokens * 0.35) / whole);
  const end = text.slice(text.indexOf(" ", text.length - room) + 1 || text.length - room).toWellFormed();
  return `${start} ${end}`;
}
