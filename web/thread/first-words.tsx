import { Command, ScanEye, Server } from "lucide-react";
import { useSelected } from "../state/cell.ts";
import { usePage } from "../state/page.ts";

const words = [
  {
    Icon: Server,
    title: "It stays with you",
    text: "Every word is kept on your own server as it is written. Close the page: the answer goes on.",
  },
  {
    Icon: ScanEye,
    title: "Nothing is hidden",
    text: "Each answer shows what the model was given, what it did and what it cost.",
  },
  {
    Icon: Command,
    title: "It is all within reach",
    text: "One list finds and does anything (Ctrl K). An @ names tools, files and projects.",
  },
] as const;

/** What this is, for who has not begun a thread yet. */
export const FirstWords = () => {
  const isFirst = useSelected(
    usePage().list.state,
    ({ phase, view }) => phase === "ready" && view.threads.length === 0,
  );
  if (!isFirst) return null;
  return (
    <ul aria-label="What this is" className="grid gap-x-6 gap-y-3 sm:grid-cols-3">
      {words.map(({ Icon, title, text }) => (
        <li key={title} className="flex gap-3 text-sm text-pretty text-soft sm:block">
          <Icon aria-hidden="true" className="mt-0.5 size-4.5 flex-none text-accent sm:mb-2" />
          <p>
            <b className="font-medium text-ink sm:block">{title}.</b> {text}
          </p>
        </li>
      ))}
    </ul>
  );
};
