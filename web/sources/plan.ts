import type { Part } from "../../protocol/parts.ts";
import { cardKindOf } from "../labels/card-kind.ts";
import { unwrapCall, type ToolPart } from "../labels/tools.ts";
import { listAt, textAt } from "../lib/read-json.ts";

export type PlannedQuery = { readonly query: string; readonly why: string; readonly isDone: boolean };

/** The queries of a plan, done once a search of the same message has used them. */
export function toChecklist({ input, output }: ToolPart, searched: readonly string[]): readonly PlannedQuery[] {
  const planned = listAt(output, "queries");
  const list = planned.length > 0 ? planned : listAt(input, "queries");
  const done = new Set(searched.map(toPlain));
  return list.flatMap((item) => {
    const query = typeof item === "string" ? item : textAt(item, "query");
    return query === "" ? [] : [{ query, why: textAt(item, "why"), isDone: done.has(toPlain(query)) }];
  });
}

/** The queries of a message's successful searches. */
export const listSearched = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap((part) => {
    if (part.kind !== "tool" || part.aside !== undefined || part.state !== "ok") return [];
    const call = unwrapCall(part);
    const query = textAt(call.input, "query");
    return cardKindOf(call.name) === "search" && query !== "" ? [query] : [];
  });

/** Normalizes case, spacing and punctuation of a query. */
const toPlain = (query: string): string =>
  query
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
