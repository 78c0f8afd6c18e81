import { Suspense, useRef, useState } from "react";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import { composerFieldId } from "../composer/composer.tsx";
import { MenuButton } from "../ui/menu-button.tsx";
import { usePage } from "../state/page.ts";
import type { ThreadState } from "../state/thread-feed.ts";
import { message as strings } from "../strings/message.ts";
import { toQuote } from "./to-quote.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const Popup = lazyChunk(() => import("./message-menu-popup.tsx"));

type Props = {
  readonly threadId: string;
  readonly message: MessageView;
  /** Opens the receipts; null if no model was called. */
  readonly onOpenReceipts: (() => void) | null;
  /** The answer's run, for its cost; null if there is none. */
  readonly runId?: string | null;
};

/** The menu is loaded on first use; until then only its button is rendered. */
export const MessageMenu = ({ threadId, message, onOpenReceipts, runId = null }: Props) => {
  const { sheet, quoted, continueFrom, getFeed } = usePage();
  const [isUsed, setUsed] = useState(false);
  const [selected, setSelected] = useState("");
  const container = useRef<HTMLSpanElement>(null);
  const text = textOf(message.parts);
  // Read before the click, which may clear the selection.
  const readSelection = () => setSelected(readSelected(container.current?.closest("article") ?? null));
  const pin = (content: string) => sheet.set({ kind: "pin", threadId, messageId: message.id, text: content });
  const quote = (content: string) => quoted.set(toQuote(content));
  const branch = () => {
    const nextId = findNext(getFeed(threadId).state.get(), message.depth);
    // After the last answer this is the default anyway.
    if (nextId === null) document.getElementById(composerFieldId)?.focus();
    continueFrom.set(nextId === null ? null : { threadId, messageId: message.id, depth: message.depth, nextId });
  };
  const button = <MenuButton title={strings.menu.target} aria-expanded={false} onClick={() => setUsed(true)} />;
  return (
    <span ref={container} className="flex" onPointerDownCapture={readSelection} onKeyDownCapture={readSelection}>
      {isUsed ? (
        <Suspense fallback={button}>
          <Popup
            threadId={threadId}
            runId={runId}
            onOpenReceipts={onOpenReceipts}
            onQuote={text === "" ? null : () => quote(text)}
            onQuoteSelection={selected === "" ? null : () => quote(selected)}
            onPin={text === "" ? null : () => pin(text)}
            onPinSelection={selected === "" ? null : () => pin(selected)}
            onBranch={message.role === "assistant" ? branch : null}
            forkFrom={message.role === "assistant" ? message.id : null}
          />
        </Suspense>
      ) : (
        button
      )}
    </span>
  );
};

/** The next message on the active path; null if there is none. */
function findNext(state: ThreadState, depth: number): string | null {
  if (state.phase !== "ready") return null;
  const { view, history } = state;
  return (view.messages.find((one) => one.depth === depth + 1) ?? history.messages.get(depth + 1))?.id ?? null;
}

/** The selected text inside this message; "" if the selection is elsewhere. */
function readSelected(article: Element | null): string {
  const selection = getSelection();
  const isInside = selection?.anchorNode && article?.contains(selection.anchorNode);
  return isInside ? selection.toString().trim() : "";
}
