import { CircleAlert, FileText, X } from "lucide-react";
import type { Attaching, Item } from "../../state/attaching.ts";
import { actions } from "../../strings/actions.ts";
import { composer } from "../../strings/composer.ts";
import { toSize } from "../../lib/format.ts";

const strings = composer.attachments;

type Props = { readonly items: readonly Item[]; readonly onRemove: Attaching["remove"] };

/** The attachments of the message, each with its state. */
export const Tray = ({ items, onRemove }: Props) =>
  items.length === 0 ? null : (
    <ul aria-label={strings.label} className="flex flex-wrap items-start gap-2 px-1 pt-1 pb-2">
      {items.map((item) => (
        <Chip key={item.key} item={item} onRemove={() => onRemove(item.key)} />
      ))}
    </ul>
  );

const Chip = ({ item, onRemove }: { readonly item: Item; readonly onRemove: () => void }) => {
  const { name, state } = item;
  const isRejected = state.name === "refused";
  return (
    <li
      className={`relative flex max-w-full items-center gap-2.5 overflow-hidden rounded-xl py-1.5 ps-1.5 pe-1 ${isRejected ? "bg-danger-wash" : "bg-sunk"}`}
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
          {describeState(item)}
        </span>
      </span>
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

const describeState = ({ name, state, sizeBytes }: Item): string => {
  if (state.name === "refused") return strings.rejected(name, state.text);
  if (state.name === "ready") return toSize(sizeBytes);
  return state.share < 1 ? strings.progress(Math.round(state.share * 100), toSize(sizeBytes)) : strings.reading;
};
