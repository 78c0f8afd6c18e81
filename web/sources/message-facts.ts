import { createContext, useContext, useMemo, useState } from "react";
import { textOf } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import { readCitations, type CheckedAnswer } from "./citations.ts";
import type { Citation } from "../state/panels.ts";
import { collectSources, type Source } from "./collect-sources.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import { listSearched } from "./plan.ts";

/** What the parts of one message know of each other. It keeps its identity while words stream in, so nothing is drawn for it. */
export type MessageFacts = {
  readonly threadId: string;
  readonly sources: readonly Source[];
  readonly checked: CheckedAnswer;
  /** Queries that searches of this message have used. */
  readonly searched: readonly string[];
  /** Id of the source that is pointed at, on its card or at a citation. */
  readonly pointed: Signal<string | null>;
};

export const FactsContext = createContext<MessageFacts | null>(null);

/** Null outside of an answer. */
export const useFacts = (): MessageFacts | null => useContext(FactsContext);

export function useMessageFacts(threadId: string, parts: readonly Part[]): MessageFacts {
  const [pointed] = useState(() => createSignal<string | null>(null));
  const evidence = useSame(parts.filter(({ kind }) => kind === "source" || kind === "data" || kind === "tool"));
  const searched = useSame(listSearched(parts));
  const citations = useMemo(() => readCitations(evidence), [evidence]);
  const sources = useMemo(() => collectSources(evidence), [evidence]);
  const answer = toCheckedText(citations, parts);
  return useMemo(
    () => ({ threadId, sources, checked: { citations, answer }, searched, pointed }),
    [threadId, sources, citations, answer, searched, pointed],
  );
}

/** Citations are checked once the text is whole: before that nobody asks for it, and it changes with every word. */
const toCheckedText = (citations: readonly Citation[], parts: readonly Part[]): string =>
  citations.length > 0 ? textOf(parts) : "";

/** The list as it was, while it holds the same things. */
function useSame<T>(list: readonly T[]): readonly T[] {
  const [kept, setKept] = useState(list);
  const isSame = kept.length === list.length && kept.every((item, index) => Object.is(item, list[index]));
  if (!isSame) setKept(list);
  return isSame ? kept : list;
}
