import { Dialog } from "radix-ui";
import { useEffect, useRef, type ReactNode } from "react";
import { stayForForms } from "../lib/escape.ts";
import { useMedia } from "../lib/use-media.ts";
import { ui as strings } from "../strings/ui.ts";
import { ResizablePane } from "./split-handle.tsx";

const leastPx = 320;

type Props = {
  /** Accessible name. */
  readonly label: string;
  /** Covers the whole screen on phones, instead of most of it. */
  readonly isFull?: boolean;
  readonly onClose: () => void;
  readonly children: (title: (text: string) => ReactNode) => ReactNode;
};

/** Whether a panel fits next to the thread. */
export const useHasRoom = (): boolean => useMedia("(min-width: 75rem)");

/** A panel next to the thread if there is space, otherwise over it. */
export const SidePanel = (props: Props) => (useHasRoom() ? <DockedPanel {...props} /> : <OverlayPanel {...props} />);

const DockedPanel = ({ label, onClose, children }: Props) => {
  const panel = useRef<HTMLElement>(null);
  // Takes the focus, so that Escape and the arrow keys work, and returns it on close.
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <ResizablePane
      ref={panel}
      name="panel"
      handleLabel={strings.panelWidth}
      edge="end"
      least={leastPx}
      tabIndex={-1}
      aria-label={label}
      onKeyDown={(event) => event.key === "Escape" && !event.defaultPrevented && onClose()}
      className="h-full w-[min(34rem,42vw)] animate-rise bg-sunk outline-none"
    >
      {children((text) => (
        <h2 className={titleLook}>{text}</h2>
      ))}
    </ResizablePane>
  );
};

const OverlayPanel = ({ label, isFull = false, onClose, children }: Props) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
      <Dialog.Content
        aria-describedby={undefined}
        data-label={label}
        tabIndex={-1}
        onEscapeKeyDown={stayForForms}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
        }}
        className={`fixed z-50 animate-rise overflow-hidden bg-ground shadow-float outline-none sm:inset-y-0 sm:end-0 sm:w-[min(34rem,80vw)] sm:rounded-s-3xl ${isFull ? "max-sm:inset-0" : "max-sm:inset-x-0 max-sm:bottom-0 max-sm:h-[85dvh] max-sm:rounded-t-3xl"}`}
      >
        {children((text) => (
          <Dialog.Title className={titleLook}>{text}</Dialog.Title>
        ))}
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

const titleLook = "min-w-0 flex-1 line-clamp-3 text-base leading-snug font-semibold wrap-anywhere";
