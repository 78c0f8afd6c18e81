import { AlertDialog } from "radix-ui";
import type { ReactNode } from "react";
import { useFocusBack } from "../lib/use-focus-back.ts";
import { actions } from "../strings/actions.ts";

type Props = {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** An additional option. */
  readonly children?: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

const Confirm = ({ title, text, action, children, onConfirm, onClose }: Props) => {
  const focusBack = useFocusBack();
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <AlertDialog.Content
          onCloseAutoFocus={focusBack}
          className="animate-rise fixed top-1/2 left-1/2 z-50 w-[min(26rem,calc(100vw-2rem))] -translate-1/2 rounded-2xl bg-raised p-6 shadow-float"
        >
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-soft">{text}</AlertDialog.Description>
          {children}
          <div className="mt-6 flex justify-end gap-2">
            <AlertDialog.Cancel className="plain-button">{actions.cancel}</AlertDialog.Cancel>
            <AlertDialog.Action className="plain-button strong-button" onClick={onConfirm}>
              {action}
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
};

export default Confirm;
