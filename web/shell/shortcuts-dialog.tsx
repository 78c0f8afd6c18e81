import { Dialog } from "radix-ui";
import { Fragment } from "react";

const keys: readonly (readonly [string, string])[] = [
  ["Ctrl K", "Search threads"],
  ["Ctrl Shift O", "New thread"],
  ["Ctrl I", "Go to the message field"],
  ["Ctrl .", "Stop the answer"],
  ["Enter", "Send; while an answer runs, wait for its turn"],
  ["Ctrl Enter", "Send into the running answer, at its next step"],
  ["Shift Enter", "New line"],
  ["↑ ↓ Home End", "Move in the thread list"],
  ["F2, Delete", "Rename, delete the thread in focus"],
];

export default function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-50 w-[min(30rem,calc(100vw-2rem))] -translate-1/2 animate-rise rounded-2xl bg-raised p-6 shadow-float"
        >
          <Dialog.Title className="text-lg font-semibold">Keyboard shortcuts</Dialog.Title>
          <dl className="mt-4 grid grid-cols-[auto_1fr] items-baseline gap-x-5 gap-y-2.5 text-sm">
            {keys.map(([key, what]) => (
              <Fragment key={key}>
                <dt className="font-mono text-xs text-soft">{key}</dt>
                <dd>{what}</dd>
              </Fragment>
            ))}
          </dl>
          <p className="mt-4 text-xs text-soft">On a Mac, Cmd stands for Ctrl.</p>
          <div className="mt-5 flex justify-end">
            <Dialog.Close className="plain-button">Close</Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
