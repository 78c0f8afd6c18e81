import { useEffect, useRef, useState } from "react";
import { textOf, type ThreadView } from "../../protocol/fold.ts";

const spokenCharacters = 600;

/** Tells a screen reader that an answer began and, once it is whole, what it says: word by word would be noise. */
export const Announcer = ({ view }: { readonly view: ThreadView }) => {
  const [words, setWords] = useState("");
  const wasRunning = useRef(false);
  const { run } = view;
  useEffect(() => {
    const running = run?.state === "running";
    if (running && !wasRunning.current) setWords("Stonechat is answering.");
    if (run && !running && wasRunning.current) {
      const message = view.messages.find(({ id }) => id === run.messageId);
      const text = message ? textOf(message.parts) : "";
      setWords(
        run.outcome === "done" ? text.slice(0, spokenCharacters) : (run.reason?.text ?? "The answer ended early."),
      );
    }
    wasRunning.current = running;
  }, [run, view.messages]);
  return (
    <p aria-live="polite" className="sr-only">
      {words}
    </p>
  );
};
