import { useEffect, useRef, useState } from "react";
import { textOf, type ThreadView } from "../../protocol/fold.ts";
import { titleOf } from "../tools/names.ts";

const spokenCharacters = 600;

/** Tells a screen reader that an answer began and, once it is whole, what it says: word by word would be noise. */
export const Announcer = ({ view }: { readonly view: ThreadView }) => {
  const [words, setWords] = useState("");
  const { run } = view;
  // The run that is told of already: what had ended before the page was opened is old news.
  const told = useRef(run?.state === "ended" ? run.id : null);
  useEffect(() => {
    if (!run || told.current === run.id) return;
    if (run.state === "running") setWords("Stonechat is answering.");
    else if (run.state === "parked") setWords(run.reason?.text ?? "The answer is parked.");
    else {
      told.current = run.id;
      const message = view.messages.find(({ id }) => id === run.messageId);
      const text = message ? textOf(message.parts) : "";
      setWords(
        run.outcome === "done" ? text.slice(0, spokenCharacters) : (run.reason?.text ?? "The answer ended early."),
      );
    }
  }, [run, view.messages]);
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {words}
      </p>
      <p aria-live="assertive" className="sr-only">
        {toQuestions(view)}
      </p>
    </>
  );
};

/** An answer that waits for a decision goes no further by itself: that is worth an interruption. */
function toQuestions({ run, messages }: ThreadView): string {
  if (run?.state !== "running") return "";
  const parts = messages.find(({ id }) => id === run.messageId)?.parts ?? [];
  const asking = parts.filter((part) => part.kind === "tool").filter(({ state }) => state === "asking");
  return asking.map((part) => `Stonechat asks you: ${titleOf(part)}. ${part.asks?.text ?? ""}`).join(" ");
}
