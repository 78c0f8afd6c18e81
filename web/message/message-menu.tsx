import { lazy, Suspense, useRef, useState } from "react";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import { MenuButton } from "../list/menu-button.tsx";
import { usePage } from "../state/page.ts";

const Popup = lazy(() => import("./message-menu-popup.tsx"));

type Props = {
  readonly threadId: string;
  readonly message: MessageView;
  /** Shows what the model saw; null where no model was asked. */
  readonly onLook: (() => void) | null;
};

/** The menu itself is fetched with its first use; until then there is only its button. */
export const MessageMenu = ({ threadId, message, onLook }: Props) => {
  const { sheet } = usePage();
  const [isUsed, setUsed] = useState(false);
  const [words, setWords] = useState("");
  const place = useRef<HTMLSpanElement>(null);
  const text = textOf(message.parts);
  // Read before the press: what is selected may not be any more after it.
  const notice = () => setWords(readSelection(place.current?.closest("article") ?? null));
  const pin = (what: string) => sheet.set({ kind: "pin", threadId, messageId: message.id, text: what });
  const button = <MenuButton title="this message" aria-expanded={false} onClick={() => setUsed(true)} />;
  return (
    <span ref={place} className="flex" onPointerDownCapture={notice} onKeyDownCapture={notice}>
      {isUsed ? (
        <Suspense fallback={button}>
          <Popup
            onLook={onLook}
            onPin={text === "" ? null : () => pin(text)}
            onPinWords={words === "" ? null : () => pin(words)}
          />
        </Suspense>
      ) : (
        button
      )}
    </span>
  );
};

function readSelection(article: Element | null): string {
  const selection = getSelection();
  const isInside = selection?.anchorNode && article?.contains(selection.anchorNode);
  return isInside ? selection.toString().trim() : "";
}
