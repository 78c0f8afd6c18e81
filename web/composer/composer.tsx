import { ArrowUp, ScanEye, Square } from "lucide-react";
import {
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
} from "react";
import type { ModelInfo } from "../../protocol/api.ts";
import type { DraftContent } from "../state/panels.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useLongestMessage } from "../state/use-profiles.ts";
import { groupDigits } from "../lib/format.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { AttachButton } from "./attachments/attach-button.tsx";
import { DropZone } from "./attachments/drop-zone.tsx";
import { Tray, type BlindModel } from "./attachments/tray.tsx";
import { attachPasted, readPastedText } from "./attachments/pasted-text.ts";
import type { Item } from "../state/attaching.ts";
import { useAttaching } from "./attachments/use-attaching.ts";
import { composer as strings } from "../strings/composer.ts";
import { replaceSlash } from "./completion.ts";
import { PromptForm } from "./prompt-form.tsx";
import { SuggestionList, toOptionId } from "./suggestion-list.tsx";
import { useCompletion } from "./use-completion.ts";
import { EstimateNote, estimateId } from "./estimate-note.tsx";
import { toSendable } from "../api/limits.ts";
import { fitHeight, isSendKey } from "../lib/text-field.ts";
import { textOf } from "../../protocol/fold.ts";
import { firstOwner } from "../state/drafts.ts";

export type ComposerHandle = { readonly write: (text: string) => void };

export type ComposerTarget = {
  /** null: the thread does not exist yet. */
  readonly threadId: string | null;
  readonly projectId: string | null;
  readonly model: string;
  readonly profile: string;
};

type Props = {
  /** Owner of the draft: the thread's id, or "new" with a suffix for a thread that does not exist yet. */
  readonly owner: string;
  /** The thread the message goes to: decides completions and limits. */
  readonly target: ComposerTarget;
  readonly running: boolean;
  /** The model waits for an answer: text answers a single question. */
  readonly question?: "single" | "form" | undefined;
  readonly onSend: (text: string, mode: "queue" | "steer", attachments: readonly string[]) => void;
  readonly onStop: () => void;
  /** Opens the preview of the request for the draft. */
  readonly onPreview?: (draft: DraftContent) => void;
  readonly children: ReactNode;
  readonly ref?: Ref<ComposerHandle>;
};

export const composerFieldId = "message";

export const Composer = ({ owner, target, running, question, onSend, onStop, onPreview, children, ref }: Props) => {
  const { session, drafts } = usePage();
  const [text, setText] = useDraft(owner);
  const field = useRef<HTMLTextAreaElement>(null);
  const completion = useCompletion({ field, text, setText, projectId: target.projectId });
  const isCompleting = completion.items.length > 0;
  const onHistoryKey = useHistory({ owner, text, setText });
  const sendable = toSendable(text);
  const longest = useLongestMessage(target.profile);
  const surplus = sendable.length - longest;
  const files = useAttaching({ owner, threadId: target.threadId });
  const models = useSignal(session.models);
  const model = models.find(({ id }) => id === target.model);
  const blind = models.length === 0 || target.model === "" ? null : toBlind(model, target.model);
  const hasContent = sendable !== "" || files.ready.length > 0;
  const isSendable = (hasContent || files.isBusy) && surplus <= 0;
  const canSend = isSendable && !files.isBusy;

  useEffect(() => fitHeight(field.current), [text]);
  useInitialFocus(field);
  useImperativeHandle(ref, () => ({
    write: (next) => {
      setText(next);
      field.current?.focus();
    },
  }));

  useQuote({ field, text, setText });

  const rejected = files.all.filter(({ state }) => state.name === "refused").length;
  const [isHeld, setHeld] = useState(false);
  // The message is sent when its files have been read, unless its text is changed before.
  const [waiting, setWaiting] = useState<{ readonly text: string; readonly mode: "queue" | "steer" } | null>(null);
  const isWaiting = waiting !== null && waiting.text === text && files.isBusy;
  const { errorMessage } = usePage();
  const restore = async (item: Item) => {
    const pasted = await readPastedText(item);
    if (pasted === null) return errorMessage.set(strings.attachments.pasted.failed);
    files.remove(item.key);
    setText(text.trim() === "" ? pasted : `${text.trimEnd()}\n\n${pasted}`);
    field.current?.focus();
  };

  /** A file that could not be read is never left out silently: the message waits until the user has decided. */
  const send = (mode: "queue" | "steer", isDecided = false) => {
    if (isSendable && files.isBusy) return setWaiting({ text, mode });
    setWaiting(null);
    if (!canSend) return;
    setHeld(rejected > 0 && !isDecided);
    if (rejected > 0 && !isDecided) return;
    onSend(replaceSlash(sendable, session.tools.get()), mode, files.take());
    drafts.of(owner).send();
  };
  const sendWaiting = useEffectEvent(() => {
    if (waiting?.text === text) send(waiting.mode);
    else setWaiting(null);
  });
  useEffect(() => {
    if (waiting !== null && !isWaiting) sendWaiting();
  }, [waiting, isWaiting]);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (completion.onKeyDown(event) || onHistoryKey(event)) return;
    if (!isSendKey(event)) return;
    event.preventDefault();
    send((event.ctrlKey || event.metaKey) && running ? "steer" : "queue");
  };

  return (
    <form
      aria-label={strings.form}
      onSubmit={(event) => {
        event.preventDefault();
        send("queue");
      }}
      className="relative rounded-2xl bg-raised p-2 shadow-float focus-within:ring-2 focus-within:ring-accent/40"
    >
      <SuggestionList completion={completion} />
      {completion.filling && (
        <PromptForm
          key={completion.filling.item.id}
          name={completion.filling.item.name}
          variables={completion.filling.variables}
          onInsert={completion.insert}
          onCancel={completion.cancel}
        />
      )}
      <DropZone text={strings.attachments.drop} onDrop={files.add} />
      <Tray
        items={files.all}
        windowTokens={model?.windowTokens ?? null}
        blind={blind}
        onRemove={files.remove}
        onRestore={(item) => void restore(item)}
      />
      {isHeld && rejected > 0 && (
        <p role="alert" className="px-2.5 pb-1 text-sm text-danger">
          {strings.attachments.held(rejected)}{" "}
          <button
            type="button"
            className="font-medium underline underline-offset-2"
            onClick={() => send("queue", true)}
          >
            {strings.attachments.sendWithout(rejected)}
          </button>
        </p>
      )}
      <p role="status" className={isWaiting ? "px-2.5 pb-1 text-sm" : "sr-only"}>
        {isWaiting && (
          <>
            {strings.attachments.waiting(files.reading.join(", "))}{" "}
            <button
              type="button"
              className="font-medium underline underline-offset-2"
              onClick={() => {
                setWaiting(null);
                field.current?.focus();
              }}
            >
              {strings.attachments.doNotSend}
            </button>
          </>
        )}
      </p>
      {/* A text box with autocomplete, not a combobox: that role is not for multi-line fields. */}
      <textarea
        ref={field}
        id={composerFieldId}
        dir="auto"
        rows={1}
        aria-label={strings.field}
        placeholder={toPlaceholder(running, question)}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          completion.onCaretMove();
        }}
        onSelect={completion.onCaretMove}
        onBlur={completion.close}
        onKeyDown={onKeyDown}
        onPaste={(event) => attachPasted(event, files.all, files.add)}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isCompleting ? completion.listId : undefined}
        aria-activedescendant={isCompleting ? toOptionId(completion.listId, completion.at) : undefined}
        aria-describedby={surplus > 0 ? "message-limit" : hasContent ? estimateId : undefined}
        aria-invalid={surplus > 0}
        className="field-sizing-content block max-h-[min(40dvh,20rem)] min-h-10 w-full resize-none overflow-y-auto bg-transparent px-2.5 pt-2 pb-1 leading-relaxed outline-none placeholder:text-soft"
      />
      {surplus > 0 && (
        <p id="message-limit" role="alert" className="px-2.5 pb-1 text-sm text-danger">
          {strings.tooLong(groupDigits(sendable.length), groupDigits(longest))}
        </p>
      )}
      <div className="flex items-center gap-1">
        <AttachButton onPick={files.add} />
        {children}
        {onPreview && (
          <IconButton
            label={strings.preview}
            className="size-9 rounded-xl"
            disabled={!canSend}
            onClick={() => onPreview({ text: sendable, files: files.ready })}
          >
            <ScanEye aria-hidden="true" className="size-4.5" />
          </IconButton>
        )}
        <span className="ms-auto flex flex-none items-center gap-1.5">
          <EstimateNote text={sendable} files={files.ready} threadId={target.threadId} model={target.model} />
          {running && <StopButton onStop={onStop} />}
          <SendButton running={running && !question} canSend={isSendable && !isWaiting} />
        </span>
      </div>
    </form>
  );
};

const toPlaceholder = (running: boolean, question: Props["question"]): string => {
  if (question) return question === "single" ? strings.placeholderQuestion : strings.placeholderForm;
  return running ? strings.placeholderRunning : strings.placeholder;
};

const StopButton = ({ onStop }: Pick<Props, "onStop">) => (
  <button type="button" onClick={onStop} className="plain-button min-h-9 rounded-xl px-3" title={strings.stopHint}>
    <Square aria-hidden="true" className="size-3 fill-current" />
    {strings.stop}
  </button>
);

const SendButton = ({ running, canSend }: Pick<Props, "running"> & { readonly canSend: boolean }) => (
  <button
    type="submit"
    aria-label={running ? strings.sendLater : strings.send}
    title={running ? strings.sendLaterHint : strings.sendHint}
    disabled={!canSend}
    className="grid size-9 flex-none place-items-center rounded-xl bg-accent text-on-accent transition-colors hover:bg-accent-strong disabled:bg-hover disabled:text-soft"
  >
    <ArrowUp aria-hidden="true" className="size-4.5" />
  </button>
);

/** null: the model accepts images. */
const toBlind = (model: ModelInfo | undefined, id: string): BlindModel | null =>
  model?.vision ? null : { name: model?.name ?? id, isKnown: model?.vision === false };

/** Not on touch screens, and not from another text field: a double click opens and renames a thread. */
function useInitialFocus(field: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (document.activeElement instanceof HTMLInputElement) return;
    if (matchMedia("(hover: hover)").matches) field.current?.focus();
  }, [field]);
}

type QuoteOptions = {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly setText: (text: string) => void;
};

/** Appends a quoted message to the text. */
function useQuote({ field, text, setText }: QuoteOptions): void {
  const { quoted } = usePage();
  const quote = useSignal(quoted);
  useEffect(() => {
    if (quote === null) return;
    quoted.set(null);
    setText(text.trim() === "" ? quote : `${text.trimEnd()}\n\n${quote}`);
    field.current?.focus();
  }, [field, quote, quoted, text, setText]);
}

/** The draft of a thread. `owner` is the thread's id, or "new". */
function useDraft(owner: string): readonly [string, (text: string) => void] {
  const draft = usePage().drafts.of(owner);
  useEffect(() => draft.open(), [draft]);
  return [useSignal(draft.text), draft.write];
}

type Options = { readonly owner: string; readonly text: string; readonly setText: (text: string) => void };

/**
 * Arrow up in an empty field recalls earlier messages, one per press; arrow down goes forward. Once the text is edited, the
 * arrows move the caret. Returns true if the key was handled.
 */
function useHistory({ owner, text, setText }: Options): (event: KeyboardEvent<HTMLTextAreaElement>) => boolean {
  const { getFeed, drafts } = usePage();
  const position = useRef<{ readonly lines: readonly string[]; readonly at: number } | null>(null);

  const listLines = (): readonly string[] => {
    const isThread = owner !== firstOwner && !owner.startsWith(`${firstOwner}.`);
    const state = isThread ? getFeed(owner).state.get() : null;
    const messages = state?.phase === "ready" ? state.view.messages.filter(({ role }) => role === "user") : [];
    const sent = messages.map(({ parts }) => textOf(parts)).toReversed();
    return [...new Set([...drafts.of(owner).replaced(), ...sent, ...drafts.recent()])].filter(
      (line) => line.trim() !== "",
    );
  };

  return (event) => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return false;
    const isUp = event.key === "ArrowUp";
    if (!isUp && event.key !== "ArrowDown") return false;
    const isRecalling = position.current !== null && text === position.current.lines[position.current.at];
    if (!isRecalling && (!isUp || text !== "")) return false;
    const { lines, at } = isRecalling && position.current ? position.current : { lines: listLines(), at: -1 };
    const next = isUp ? Math.min(at + 1, lines.length - 1) : at - 1;
    if (lines.length === 0) return false;
    event.preventDefault();
    position.current = next < 0 ? null : { lines, at: next };
    setText(lines[next] ?? "");
    return true;
  };
}
