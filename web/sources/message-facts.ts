import { createContext, useContext, useMemo, useState } from "react";
import { textOf } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import { readCitations, type CheckedAnswer } from "./citations.ts";
import type { Citation } from "../state/panels.ts";
import { collectSources, type Source } from "./collect-sources.ts";
import { createSignal, useSelected, type Signal } from "../lib/signal.ts";
import { listSearched } from "./plan.ts";

/** Data shared by the parts of one message. Keeps its identity while text streams in, so that nothing re-renders. */
export type MessageFacts = {
  readonly threadId: string;
  readonly sources: readonly Source[];
  readonly checked: CheckedAnswer;
  /** Queries used by searches of this message. */
  readonly searched: readonly string[];
  /** Id of the hovered source, on its card or at a citation. */
  readonly pointed: Signal<string | null>;
  /** Changes of this answer to projects that were undone, by the id of their act. */
  readonly undone: Signal<ReadonlySet<string>>;
};

const noActs: ReadonlySet<string> = new Set();
const nothingUndone = createSignal(noActs);

export const FactsContext = createContext<MessageFacts | null>(null);

/** Null outside of an answer. */
export const useFacts = (): MessageFacts | null => useContext(FactsContext);

/** Whether this change of the message's answer was undone. */
export const useUndone = (actId: string): boolean =>
  useSelected(useFacts()?.undone ?? nothingUndone, (acts) => acts.has(actId));

export function useMessageFacts(threadId: string, parts: readonly Part[]): MessageFacts {
  const [pointed] = useState(() => createSignal<string | null>(null));
  const [undone] = useState(() => createSignal(noActs));
  const evidence = useSame(parts.filter(({ kind }) => kind === "source" || kind === "data" || kind === "tool"));
  const searched = useSame(listSearched(parts));
  const citations = useMemo(() => readCitations(evidence), [evidence]);
  const sources = useMemo(() => collectSources(evidence), [evidence]);
  const answer = toCheckedText(citations, parts);
  return useMemo(
    () => ({ threadId, sources, checked: { citations, answer }, searched, pointed, undone }),
    [threadId, sources, citations, answer, searched, pointed, undone],
  );
}

/** Citations are checked once the text is complete; before that the text is not needed and changes with every delta. */
const toCheckedText = (citations: readonly Citation[], parts: readonly Part[]): string =>
  citations.length > 0 ? textOf(parts) : "";

/** The previous array while the items are the same. */
function useSame<T>(list: readonly T[]): readonly T[] {
  const [previous, setPrevious] = useState(list);
  const isSame = previous.length === list.length && previous.every((item, index) => Object.is(item, list[index]));
  if (!isSame) setPrevious(list);
  return isSame ? previous : list;
}
