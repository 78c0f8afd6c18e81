import { Dialog } from "radix-ui";
import { useEffect, useRef } from "react";
import { useCell } from "../state/cell.ts";
import { usePage, type KeptPlace } from "../state/page.ts";
import { KeptCopy } from "./kept-copy.tsx";
import { useHasRoom } from "./use-has-room.ts";

/** A kept text beside the thread where there is room for both, over it where there is not. */
const KeptPanel = ({ place }: { readonly place: KeptPlace }) => {
  const { kept, route } = usePage();
  const hasRoom = useHasRoom();
  const { threadId } = useCell(route);
  const close = () => kept.set(null);
  useEffect(() => {
    if (threadId !== place.threadId) kept.set(null);
  }, [kept, threadId, place.threadId]);
  return hasRoom ? <Beside place={place} onClose={close} /> : <Over place={place} onClose={close} />;
};

type Props = { readonly place: KeptPlace; readonly onClose: () => void };

const Beside = ({ place, onClose }: Props) => {
  const panel = useRef<HTMLElement>(null);
  // Where the reader came from, to go back there. The panel takes the focus so that Escape and the arrow keys are its own.
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label="Kept copy"
      onKeyDown={(event) => event.key === "Escape" && onClose()}
      className="h-full w-[min(34rem,42vw)] flex-none animate-rise bg-sunk outline-none"
    >
      <KeptCopy place={place} title={(text) => <h2 className={titleLook}>{text}</h2>} onClose={onClose} />
    </aside>
  );
};

const Over = ({ place, onClose }: Props) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
      <Dialog.Content
        aria-describedby={undefined}
        tabIndex={-1}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
        }}
        className="fixed z-50 animate-rise overflow-hidden bg-ground shadow-float outline-none max-sm:inset-x-0 max-sm:bottom-0 max-sm:h-[85dvh] max-sm:rounded-t-3xl sm:inset-y-0 sm:end-0 sm:w-[min(34rem,80vw)] sm:rounded-s-3xl"
      >
        <KeptCopy
          place={place}
          title={(text) => <Dialog.Title className={titleLook}>{text}</Dialog.Title>}
          onClose={onClose}
        />
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

const titleLook = "min-w-0 flex-1 line-clamp-3 text-base leading-snug font-semibold wrap-anywhere";

export default KeptPanel;
