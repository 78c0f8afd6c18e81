import { CircleAlert, FileText, X } from "lucide-react";
import { listReady, type Attaching, type Item } from "../../state/attaching.ts";
import { actions } from "../../strings/actions.ts";
import { composer } from "../../strings/composer.ts";
import { toSize } from "../../lib/format.ts";
import { tokensPerText } from "../../../protocol/attachment-limits.ts";
import type { Attachment } from "../../../protocol/attachments.ts";
import { isPastedText } from "./pasted-text.ts";

const strings = composer.attachments;

type Props = {
  readonly items: readonly Item[];
  /** The name of the chosen model if it does not accept images. */
  readonly blind: string | null;
  readonly onRemove: Attaching["remove"];
  /** Puts a pasted text into the message. */
  readonly onRestore: (item: Item) => void;
};

/** The attachments of the message, each with its state. */
export const Tray = ({ items, blind, onRemove, onRestore }: Props) => {
  const tokens = tokensPerText(listReady(items).filter(({ kind }) => kind === "text").length);
  if (items.length === 0) return null;
  return (
    <ul aria-label={strings.label} className="flex flex-wrap items-start gap-2 px-1 pt-1 pb-2">
      {items.map((item) => (
        <Chip
          key={item.key}
          item={item}
          tokens={tokens}
          unseenBy={isImage(item) ? blind : null}
          onRemove={() => onRemove(item.key)}
          onRestore={() => onRestore(item)}
        />
      ))}
    </ul>
  );
};

type ChipProps = {
  readonly item: Item;
  readonly tokens: number;
  readonly unseenBy: string | null;
  readonly onRemove: () => void;
  readonly onRestore: () => void;
};

const Chip = ({ item, tokens, unseenBy, onRemove, onRestore }: ChipProps) => {
  const { name, state } = item;
  const isRejected = state.name === "refused";
  return (
    <li
      className={`relative flex max-w-full items-center gap-2.5 overflow-hidden rounded-xl py-1.5 ps-1.5 pe-1 ${isRejected ? "bg-danger-wash" : unseenBy === null ? "bg-sunk" : "bg-warn-wash"}`}
    >
      <Thumbnail item={item} />
      <span className="min-w-0">
        <bdi className="block max-w-48 truncate text-sm" title={name}>
          {name}
        </bdi>
        <span
          className={`block text-xs ${isRejected ? "max-w-72 text-danger" : "text-soft"}`}
          role={isRejected ? "alert" : undefined}
        >
          {describeState(item, tokens)}
        </span>
        {unseenBy !== null && (
          <span role="status" className="block max-w-72 text-xs wrap-anywhere">
            {strings.unseen(unseenBy)}
          </span>
        )}
      </span>
      {isPastedText(item) && (
        <button
          type="button"
          title={strings.pasted.restoreHint}
          className="plain-button min-h-8 text-xs"
          onClick={onRestore}
        >
          {strings.pasted.restore}
        </button>
      )}
      <button
        type="button"
        aria-label={strings.remove(name)}
        title={actions.remove}
        className="icon-button size-8"
        onClick={onRemove}
      >
        <X aria-hidden="true" className="size-4" />
      </button>
      {state.name === "uploading" && (
        <span
          role="progressbar"
          aria-label={strings.uploading(name)}
          aria-valuenow={Math.round(state.share * 100)}
          className="absolute inset-x-0 bottom-0 h-0.5 origin-left bg-accent transition-transform rtl:origin-right"
          style={{ transform: `scaleX(${Math.max(0.03, state.share)})` }}
        />
      )}
    </li>
  );
};

const Thumbnail = ({ item: { picture, state } }: { readonly item: Item }) => {
  const Icon = state.name === "refused" ? CircleAlert : FileText;
  if (picture !== null && state.name !== "refused")
    return <img src={picture} alt="" className="size-10 flex-none rounded-lg object-cover" />;
  return (
    <span className="grid size-10 flex-none place-items-center rounded-lg bg-raised text-soft">
      <Icon aria-hidden="true" className={`size-5 ${state.name === "refused" ? "text-danger" : ""}`} />
    </span>
  );
};

const isImage = ({ state }: Item): boolean => state.name === "ready" && state.file.kind === "image";

const describeState = ({ name, state, sizeBytes }: Item, tokens: number): string => {
  if (state.name === "refused") return strings.rejected(name, state.text);
  if (state.name === "ready") return describeFile(state.file, tokens);
  return state.share < 1 ? strings.progress(Math.round(state.share * 100), toSize(sizeBytes)) : strings.reading;
};

/** About four characters per token. */
const CHARACTERS = 4;

/** Its size, and how much of a long text is sent. */
function describeFile({ sizeBytes, pageCount, characters }: Attachment, tokens: number): string {
  const share = (tokens * CHARACTERS) / Math.max(1, characters ?? 0);
  return [
    toSize(sizeBytes),
    ...(pageCount === null ? [] : [strings.pages(pageCount)]),
    ...(characters === null || share >= 1 ? [] : [strings.share(Math.max(1, Math.round(share * 100)))]),
  ].join(" · ");
}
