import { X } from "lucide-react";
import { Dialog } from "radix-ui";
import type { ReactNode } from "react";
import { stayForForms } from "../lib/escape.ts";
import { useFocusBack } from "../lib/use-focus-back.ts";
import { IconButton } from "./icon-button.tsx";
import { actions as labels } from "../strings/actions.ts";

type Props = {
  readonly title: string;
  readonly about?: string;
  /** Next to the title. */
  readonly actions?: ReactNode;
  readonly size?: "wide" | "narrow";
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A dialog over the page: centered, full screen on phones. */
export const Sheet = ({ title, about, actions, size = "wide", onClose, children }: Props) => {
  const focusBack = useFocusBack();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Content
          {...(about === undefined ? { "aria-describedby": undefined } : {})}
          tabIndex={-1}
          onEscapeKeyDown={stayForForms}
          onCloseAutoFocus={focusBack}
          onOpenAutoFocus={(event) => {
            // Not a field: on a phone that would open the keyboard.
            event.preventDefault();
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
          }}
          className={`fixed z-50 flex animate-rise flex-col overflow-hidden bg-ground shadow-float outline-none max-sm:inset-0 sm:top-1/2 sm:left-1/2 sm:max-h-[min(52rem,calc(100dvh-3rem))] sm:-translate-1/2 sm:rounded-3xl ${size === "wide" ? "sm:w-[min(44rem,calc(100vw-3rem))]" : "sm:w-[min(30rem,calc(100vw-3rem))]"}`}
        >
          <header className="flex-none px-5 pt-[max(1.1rem,env(safe-area-inset-top))] pb-3 sm:px-7 sm:pt-6">
            <div className="flex items-center gap-2">
              <Dialog.Title className="min-w-0 flex-1 font-serif text-2xl tracking-tight">{title}</Dialog.Title>
              {actions}
              <IconButton label={labels.close} className="-me-2" onClick={onClose}>
                <X aria-hidden="true" className="size-4.5" />
              </IconButton>
            </div>
            {about !== undefined && (
              <Dialog.Description className="mt-1 text-sm text-pretty text-soft">{about}</Dialog.Description>
            )}
          </header>
          <div
            role="region"
            aria-label={title}
            tabIndex={0}
            className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pb-[max(1.5rem,env(safe-area-inset-bottom))] focus-visible:-outline-offset-2 sm:px-7 sm:pb-7"
          >
            {children}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
};
