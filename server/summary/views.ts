import { SummaryFields, type SummaryView } from "../../protocol/context/summary.ts";
import { readSources } from "../../protocol/context/untrusted.ts";
import type { PromptSummary as PlainChunk } from "../context/assemble.ts";
import type { RowOf } from "../store/schema.ts";
import type { Problem } from "./make/make-summary.ts";
import { hashJson } from "./plan-rows.ts";
import { renderSummary } from "./render-summary.ts";

/** A summary as prompts use it. `changedAt` increases with each edit and undo. */
export type PathSummary = PlainChunk & {
  readonly level: number;
  readonly status: RowOf<"summaries">["status"];
  readonly isUntrusted: boolean;
  readonly fields: SummaryFields;
  /** Hash of the current fields. */
  readonly hash: string;
  readonly createdAt: number;
};

/** The fields were validated before they were stored. */
export const parseFields = ({ fields }: RowOf<"summaries">): SummaryFields | null =>
  fields === null ? null : SummaryFields.parse(JSON.parse(fields));

export function toPathSummary(row: RowOf<"summaries">): PathSummary {
  const fields = parseFields(row);
  if (fields === null) throw new Error("A summary without fields cannot be used in a prompt.");
  const isUntrusted = row.tainted === 1;
  return {
    id: row.id,
    fromDepth: row.from_depth,
    toDepth: row.to_depth,
    text: renderSummary({ fields, isUntrusted }),
    tokens: row.tokens,
    changedAt: row.updated_at,
    level: row.level,
    status: row.status,
    isUntrusted,
    untrusted: readSources(row.untrusted),
    fields,
    hash: hashJson(fields),
    createdAt: row.created_at,
  };
}

export const toSummaryView = (row: RowOf<"summaries">, edited: boolean): SummaryView => ({
  id: row.id,
  fromDepth: row.from_depth,
  toDepth: row.to_depth,
  fromMessageId: row.from_message,
  toMessageId: row.to_message,
  messageCount: row.messages,
  level: row.level,
  status: row.status,
  trigger: row.cause,
  fields: parseFields(row),
  sourceTokens: row.source_tokens,
  summaryTokens: row.tokens,
  costUsd: row.cost_usd,
  model: row.model,
  tainted: row.tainted === 1,
  edited,
  mergedInto: row.merged_into,
  error: row.error === null ? null : (JSON.parse(row.error) as Problem),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
