import { CircleAlert, FileText, X } from "lucide-react";
import { listReady, type Attaching, type Item } from "../../state/attaching.ts";
import { actions } from "../../strings/actions.ts";
import { composer } from "../../strings/composer.ts";
import { toSize } from "../../lib/format.ts";
import { divideTokens, shareOfText } from "../../../protocol/attachment-limits.ts";
import type { Attachment } from "../../../protocol/attachments.ts";
import { isPastedText } from "./pasted-text.ts";

const strings = composer.attachments;

/** A chosen model that gets no images, because it does not accept them or because that is unknown. */
export type BlindModel = { readonly name: string; readonly isKnown: boolean };

type Props = {
  readonly items: readonly Item[];
  /** Window of the chosen model; null if it is unknown. */
  readonly windowTokens: number | null;
  readonly blind: BlindModel | null;
  readonly onRemove: Attaching["remove"];
  /** Puts a pasted text into the message. */
  readonly onRestore: (item: Item) => void;
};

/** The attachments of the message, each with its state. */
export const Tray = ({ items, windowTokens, blind, onRemove, onRestore }: Props) => {
  const ready = listReady(items);
  const limits = divideTokens(
    ready.map(({ tokens }) => tokens ?? 0),
    windowTokens,
  );
  const shares = new Map(ready.map(({ id, tokens }, index) => [id, shareOfText(limits[index] ?? 0, tokens ?? 0)]));
  if (items.length === 0) return null;
  return (
    <ul aria-label={strings.label} className="flex flex-wrap items-start gap-2 px-1 pt-1 pb-2">
      {items.map((item) => (
        <Chip
          key={item.key}
          item={item}
          share={item.state.name === "ready" ? (shares.get(item.state.file.id) ?? 1) : 1}
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
  /** How much of its text is sent. */
  readonly share: number;
  readonly unseenBy: BlindModel | null;
  readonly onRemove: () => void;
  readonly onRestore: () => void;
};

const Chip = ({ item, share, unseenBy, onRemove, onRestore }: ChipProps) => {
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
          {describeState(item, share)}
        </span>
        {unseenBy !== null && (
          <span role="status" className="block max-w-72 text-xs wrap-anywhere">
            {unseenBy.isKnown ? strings.unseen(unseenBy.name) : strings.maybeUnseen(unseenBy.name)}
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

const describeState = ({ name, state, sizeBytes }: Item, share: number): string => {
  if (state.name === "refused") return strings.rejected(name, state.text);
  if (state.name === "ready") return describeFile(state.file, share);
  return state.share < 1 ? strings.progress(Math.round(state.share * 100), toSize(sizeBytes)) : strings.reading;
};

/** Its size, and how much of a long text is sent. */
const describeFile = ({ sizeBytes, pageCount }: Attachment, share: number): string =>
  [
    toSize(sizeBytes),
    ...(pageCount === null ? [] : [strings.pages(pageCount)]),
    ...(share >= 1 ? [] : [strings.share(Math.max(1, Math.round(share * 100)))]),
  ].join(" · ");
