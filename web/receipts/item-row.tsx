import { ChevronRight, CornerUpLeft } from "lucide-react";
import { useState, useMemo } from "react";
import type { ReceiptItem } from "../../protocol/context/receipt.ts";
import { fieldWords, kindWords, toWhy } from "../labels/context.ts";
import { Relevance } from "../sources/relevance.tsx";
import { groupDigits } from "../lib/format.ts";
import { toExcerpt, type Words } from "./blocks.ts";
import { beginAtHit, findWords } from "../lib/marks.ts";
import { Marked } from "../ui/marked.tsx";
import { isDetail } from "./bar-layout.ts";
import type { Jump } from "./use-jump-to.ts";

type Props = {
  readonly item: ReceiptItem;
  /** null: not loaded or not available. */
  readonly words: Words | null;
  /** Its own text, if the block contains other items too. */
  readonly hint: string | null;
  readonly isLoading: boolean;
  /** The search query; "" for none. */
  readonly query: string;
  readonly onJump: Jump;
};

/** One item of the request: what it is and why in one line, its exact text inside. */
export const ItemRow = ({ item, words, hint, isLoading, query, onJump }: Props) => {
  const [isOpen, setOpen] = useState(false);
  const name = toName(item, words?.role ?? null);
  const brief = hint ?? (words?.isOwn ? words.text : "");
  return (
    <li className="rounded-xl bg-raised">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="grid min-h-11 list-none grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-x-2 rounded-xl px-2.5 py-1.5 text-sm select-none hover:bg-hover [&::-webkit-details-marker]:hidden">
          <ChevronRight
            aria-hidden="true"
            className="size-4 text-soft transition-transform in-[details[open]>summary]:rotate-90 rtl:-scale-x-100"
          />
          <span className="min-w-0 truncate">
            <span className="font-medium">{name}</span>
            {brief !== "" && (
              <span dir="auto" className="ms-2 text-soft">
                <MarkedWords text={toExcerpt(beginAtHit(brief, query))} query={query} />
              </span>
            )}
          </span>
          <span className="text-xs text-soft tabular-nums">
            {isDetail(item) ? (item.tokens > 0 ? `(${groupDigits(item.tokens)})` : "") : groupDigits(item.tokens)}
          </span>
          <Why item={item} />
        </summary>
        {isOpen && (
          <div className="grid gap-2 px-2.5 pb-2.5">
            {words?.isOwn === false && <p className="text-xs text-soft">It stands in this piece, among others:</p>}
            <pre
              tabIndex={0}
              dir="auto"
              aria-label={`Exact text of ${name}`}
              className="max-h-96 overflow-auto rounded-lg bg-(--code-ground) p-3 font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere text-(--code-ink)"
            >
              {words ? (
                <MarkedWords text={words.text} query={query} />
              ) : isLoading ? (
                "Loading…"
              ) : (
                "The text of this piece is not kept."
              )}
            </pre>
            <Leads item={item} onJump={onJump} />
          </div>
        )}
      </details>
    </li>
  );
};

const Why = ({ item: { why, redacted, shortenedFrom, shortened = [], score } }: { readonly item: ReceiptItem }) => (
  <span className="col-start-2 flex flex-wrap items-center gap-x-2.5 text-xs text-soft">
    {toWhy(why)}
    {redacted !== undefined && redacted > 0 && (
      <span className="text-accent-strong">
        {redacted} {redacted === 1 ? "value" : "values"} hidden
      </span>
    )}
    {shortenedFrom !== undefined && <span>shortened from {groupDigits(shortenedFrom)}</span>}
    {shortened.map(({ part, tool, fromCharacters }) => (
      <span key={part}>
        {tool} shortened from {groupDigits(fromCharacters)} characters
      </span>
    ))}
    <Relevance value={score} />
  </span>
);

const Leads = ({ item, onJump }: { readonly item: ReceiptItem; readonly onJump: Jump }) =>
  isOfMessage(item) ? (
    <button
      type="button"
      className="plain-button min-h-8 justify-self-start pointer-coarse:min-h-10"
      onClick={() => onJump({ messageId: item.id })}
    >
      <CornerUpLeft aria-hidden="true" className="size-3.5" />
      Go to the message
    </button>
  ) : null;

const isOfMessage = ({ kind }: ReceiptItem): boolean => kind === "message" || kind === "recall";

/** "Your message 12", "Memory: location". */
export function toName({ kind, id, depth }: ReceiptItem, role: string | null): string {
  if (kind === "memory") return `Memory: ${(fieldWords[id as keyof typeof fieldWords] ?? id).toLowerCase()}`;
  const at = depth === undefined ? "" : ` ${groupDigits(depth)}`;
  if (kind === "message")
    return `${role === "user" ? "Your message" : role === "assistant" ? "Answer" : "Message"}${at}`;
  if (kind === "recall") return `Recalled message${at}`;
  if (kind === "update") return `What changed: ${(fieldWords[id as keyof typeof fieldWords] ?? "a pin").toLowerCase()}`;
  if (kind === "summary" && depth !== undefined) return `Summary up to message${at}`;
  return kindWords[kind] ?? kind;
}

const MarkedWords = ({ text, query }: { readonly text: string; readonly query: string }) => (
  <Marked text={text} marks={useMemo(() => findWords(text, query), [text, query])} />
);
