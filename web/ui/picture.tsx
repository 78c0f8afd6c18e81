import { X } from "lucide-react";
import { Dialog } from "radix-ui";
import { actions } from "../strings/actions.ts";

type Props = {
  readonly url: string;
  readonly name: string;
  /** A drawing fills the window and is scrolled where it would become narrower than this. */
  readonly leastWidthPx?: number;
  readonly onClose: () => void;
};

/** A picture in full size, as far as the window allows. */
const Picture = ({ url, name, leastWidthPx, onClose }: Props) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Overlay className="fixed inset-0 z-40 bg-black/80" />
      <Dialog.Content
        aria-describedby={undefined}
        className="fixed inset-0 z-50 grid place-items-center p-4"
        onClick={onClose}
      >
        <Dialog.Title className="sr-only">{name}</Dialog.Title>
        {leastWidthPx === undefined ? (
          <img src={url} alt={name} className="animate-rise max-h-full max-w-full rounded-lg object-contain" />
        ) : (
          <div
            tabIndex={0}
            role="group"
            aria-label={name}
            className="grid size-full animate-rise overflow-auto rounded-lg bg-sunk p-4 pt-14"
            onClick={(event) => event.stopPropagation()}
          >
            <img src={url} alt={name} className="m-auto w-full max-w-none" style={{ minWidth: leastWidthPx }} />
          </div>
        )}
        <Dialog.Close
          aria-label={actions.close}
          className="icon-button absolute end-4 top-4 size-10 bg-raised text-ink"
        >
          <X aria-hidden="true" className="size-5" />
        </Dialog.Close>
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

export default Picture;
