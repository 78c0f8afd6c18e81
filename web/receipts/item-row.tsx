import { ChevronRight, CornerUpLeft } from "lucide-react";
import { useState, useMemo } from "react";
import type { ReceiptItem } from "../../protocol/context/receipt.ts";
import { fieldWords, kindWords, toWhy } from "../labels/context.ts";
import { Relevance } from "../sources/relevance.tsx";
import { groupDigits } from "../lib/format.ts";
import { actions } from "../strings/actions.ts";
import { receipts } from "../strings/receipts.ts";
import { toExcerpt, type ItemText } from "./blocks.ts";
import { beginAtHit, findWords } from "../lib/marks.ts";
import { Marked } from "../ui/marked.tsx";
import { isDetail } from "./bar-layout.ts";
import type { Jump } from "./use-jump-to.ts";

const strings = receipts.items;

type Props = {
  readonly item: ReceiptItem;
  /** null: not loaded or not available. */
  readonly block: ItemText | null;
  /** Its own text, if the block contains other items too. */
  readonly hint: string | null;
  readonly isLoading: boolean;
  /** The search query; "" for none. */
  readonly query: string;
  readonly onJump: Jump;
};

/** One item of the request: what it is and why in one line, its exact text inside. */
export const ItemRow = ({ item, block, hint, isLoading, query, onJump }: Props) => {
  const [isOpen, setOpen] = useState(false);
  const name = toName(item, block?.role ?? null);
  const excerpt = hint ?? (block?.isOwn ? block.text : "");
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
            {excerpt !== "" && (
              <span dir="auto" className="ms-2 text-soft">
                <MarkedText text={toExcerpt(beginAtHit(excerpt, query))} query={query} />
              </span>
            )}
          </span>
          <span className="text-xs text-soft tabular-nums">
            {isDetail(item) ? (item.tokens > 0 ? `(${groupDigits(item.tokens)})` : "") : groupDigits(item.tokens)}
          </span>
          <Details item={item} />
        </summary>
        {isOpen && (
          <div className="grid gap-2 px-2.5 pb-2.5">
            {block?.isOwn === false && <p className="text-xs text-soft">{strings.withinBlock}</p>}
            <pre
              tabIndex={0}
              dir="auto"
              aria-label={strings.exactText(name)}
              className="max-h-96 overflow-auto rounded-lg bg-(--code-ground) p-3 font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere text-(--code-ink)"
            >
              {block ? <MarkedText text={block.text} query={query} /> : isLoading ? actions.loading : strings.notStored}
            </pre>
            <MessageLink item={item} onJump={onJump} />
          </div>
        )}
      </details>
    </li>
  );
};

const Details = ({ item: { why, redacted, shortenedFrom, shortened = [], score } }: { readonly item: ReceiptItem }) => (
  <span className="col-start-2 flex flex-wrap items-center gap-x-2.5 text-xs text-soft">
    {toWhy(why)}
    {redacted !== undefined && redacted > 0 && <span className="text-accent-strong">{strings.hidden(redacted)}</span>}
    {shortenedFrom !== undefined && <span>{strings.shortened(groupDigits(shortenedFrom))}</span>}
    {shortened.map(({ part, tool, fromCharacters }) => (
      <span key={part}>{strings.toolShortened(tool, groupDigits(fromCharacters))}</span>
    ))}
    <Relevance value={score} />
  </span>
);

const MessageLink = ({ item, onJump }: { readonly item: ReceiptItem; readonly onJump: Jump }) =>
  isOfMessage(item) ? (
    <button
      type="button"
      className="plain-button min-h-8 justify-self-start pointer-coarse:min-h-10"
      onClick={() => onJump({ messageId: item.id })}
    >
      <CornerUpLeft aria-hidden="true" className="size-3.5" />
      {strings.show}
    </button>
  ) : null;

const isOfMessage = ({ kind }: ReceiptItem): boolean => kind === "message" || kind === "recall";

/** "Your message 12", "Memory: location". */
export function toName({ kind, id, depth }: ReceiptItem, role: string | null): string {
  if (kind === "memory") return strings.memory((fieldWords[id as keyof typeof fieldWords] ?? id).toLowerCase());
  const at = depth === undefined ? "" : ` ${groupDigits(depth)}`;
  if (kind === "message")
    return (role === "user" ? strings.userMessage : role === "assistant" ? strings.answer : strings.message)(at);
  if (kind === "recall") return strings.recalled(at);
  if (kind === "update")
    return strings.change((fieldWords[id as keyof typeof fieldWords] ?? strings.pin).toLowerCase());
  if (kind === "summary" && depth !== undefined) return strings.summary(at);
  return kindWords[kind] ?? kind;
}

const MarkedText = ({ text, query }: { readonly text: string; readonly query: string }) => (
  <Marked text={text} marks={useMemo(() => findWords(text, query), [text, query])} />
);
