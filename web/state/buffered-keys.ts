/** Keys typed between a shortcut and the moment the field that it opens has the focus. They reach no other field. */
type Buffer = { text: string; readonly stop: () => void };

let buffer: Buffer | null = null;

/** Keeps the keys that follow until `takeBufferedKeys`; stops once the field is no longer wanted. */
export function bufferKeys(isWanted: () => boolean, onEscape: () => void): void {
  takeBufferedKeys();
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isWanted()) return void takeBufferedKeys();
    if (event.ctrlKey || event.metaKey || buffer === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") {
      takeBufferedKeys();
      onEscape();
    } else if (event.key === "Backspace") buffer.text = buffer.text.slice(0, -1);
    else if ([...event.key].length === 1) buffer.text += event.key;
  };
  addEventListener("keydown", onKeyDown, { capture: true });
  buffer = { text: "", stop: () => removeEventListener("keydown", onKeyDown, { capture: true }) };
}

/** The text typed since `bufferKeys`; ends the buffering. */
export function takeBufferedKeys(): string {
  const text = buffer?.text ?? "";
  buffer?.stop();
  buffer = null;
  return text;
}
