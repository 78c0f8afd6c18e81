import {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from "react";
import { useSignal } from "../lib/signal.ts";
import { toErrorText } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import {
  complete,
  filterSuggestions,
  findMention,
  toCommands,
  toSuggestions,
  type Mention,
  type Suggestion,
} from "./completion.ts";
import { fillPrompt, listVariables, type Variable } from "./prompts.ts";
import { usePrompts } from "./use-prompts.ts";
import { useReferences } from "./use-references.ts";

type Options = {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly setText: (text: string) => void;
  /** The project whose files and entities can be mentioned. */
  readonly projectId: string | null;
};

export type Completion = {
  readonly listId: string;
  readonly items: readonly Suggestion[];
  /** Index of the suggestion that Enter picks. */
  readonly at: number;
  readonly pick: (item: Suggestion) => void;
  readonly onCaretMove: () => void;
  readonly close: () => void;
  /** A saved prompt whose variables are asked for. */
  readonly filling: Filling | null;
  readonly insert: (values: Readonly<Record<string, string>>) => void;
  readonly cancel: () => void;
  /** Returns true if the key was handled. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
};

type Filling = {
  readonly item: Suggestion;
  readonly variables: readonly Variable[];
  readonly mention: Mention;
  /** The message that the range of the mention refers to. */
  readonly text: string;
};

/** Completes words after an `@` or a `/`. The suggestions are loaded with the first one. */
export function useCompletion({ field, text, setText, projectId }: Options): Completion {
  const { session, client, errorMessage } = usePage();
  const listId = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const caretAfter = useRef<number>(null);
  const [at, setAt] = useState(0);
  const [filling, setFilling] = useState<Filling | null>(null);
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const mention = useMemo(() => (caret === null ? null : findMention(text, caret)), [text, caret]);
  const isActive = mention !== null && mention.start !== closedAt;
  const items = useSuggestions(projectId, isActive ? mention : null);

  useEffect(() => {
    if (isActive) void session.loadTools();
  }, [session, isActive]);
  useEffect(() => setAt(0), [items]);
  useEffect(() => {
    if (!mention) setClosedAt(null);
  }, [mention]);

  // Set together with the text, so that the next key press comes after it.
  useLayoutEffect(() => {
    const caret = caretAfter.current;
    if (caret === null) return;
    caretAfter.current = null;
    field.current?.focus();
    field.current?.setSelectionRange(caret, caret);
  }, [text, field]);

  const onCaretMove = () => setCaret(field.current?.selectionStart ?? null);
  const insert = (place: Mention, item: Suggestion) => {
    const next = complete(text, place, item);
    caretAfter.current = next.caret;
    setText(next.text);
    setCaret(null);
    setFilling(null);
  };
  const fill = async (place: Mention, item: Suggestion, values: Readonly<Record<string, string>>) => {
    if (!item.remote)
      return insert(place, { ...item, insert: item.kind === "prompt" ? fillPrompt(item.insert, values) : item.insert });
    const { server, name } = item.remote;
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
    try {
      const filled = await client.fillServerPrompt({ params: { server }, body: { name, arguments: given } });
      insert(place, { ...item, insert: filled.text });
    } catch (error) {
      setFilling(null);
      errorMessage.set(toErrorText(error));
    }
  };
  const pick = (item: Suggestion) => {
    if (!mention) return;
    const variables = item.remote
      ? item.remote.variables.map((name) => ({ name, initial: "" }))
      : item.kind === "prompt"
        ? listVariables(item.insert)
        : [];
    if (variables.length === 0) return void fill(mention, item, {});
    setFilling({ item, variables, mention, text });
    setCaret(null);
  };
  const cancel = () => {
    setFilling(null);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const item = items[Math.min(at, items.length - 1)];
    if (!item || !mention || event.nativeEvent.isComposing) return false;
    if (event.key === "ArrowDown") setAt((at + 1) % items.length);
    else if (event.key === "ArrowUp") setAt((at + items.length - 1) % items.length);
    else if (event.key === "Escape") setClosedAt(mention.start);
    else if (event.key === "Tab" && !event.shiftKey) pick(item);
    else if (event.key === "Enter" && !isModified(event) && !isComplete(item, mention)) pick(item);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return {
    listId,
    items,
    at: Math.min(at, items.length - 1),
    pick,
    onCaretMove,
    close: () => setCaret(null),
    filling: filling?.text === text ? filling : null,
    insert: (values) => {
      if (filling) void fill(filling.mention, filling.item, values);
    },
    cancel,
    onKeyDown,
  };
}

const none: readonly Suggestion[] = [];

/** Suggestions for a mention. */
function useSuggestions(projectId: string | null, mention: Mention | null): readonly Suggestion[] {
  const tools = useSignal(usePage().session.tools);
  const sign = mention?.sign ?? null;
  const references = useReferences(projectId, sign === "@" ? (mention?.word ?? null) : null);
  const prompts = usePrompts(projectId, sign === "/");
  const all = useMemo(
    () =>
      sign === "/"
        ? [...prompts, ...(tools ? toCommands(tools, "/") : [])]
        : [...(tools ? toSuggestions(tools, projectId !== null) : []), ...references],
    [sign, tools, references, prompts, projectId],
  );
  return useMemo(() => (mention ? filterSuggestions(all, mention.word) : none), [all, mention]);
}

/** Enter sends a complete command; the name of a prompt is always replaced by its text. */
const isComplete = ({ kind, id, name }: Suggestion, { word }: Mention): boolean =>
  kind !== "prompt" && [id, name].some((one) => one.toLowerCase() === word.toLowerCase());

const isModified = (event: KeyboardEvent): boolean => event.shiftKey || event.ctrlKey || event.metaKey;
