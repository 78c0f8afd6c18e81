import { Dialog } from "radix-ui";
import { ShortcutList } from "./shortcut-list.tsx";

export default function ShortcutsDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] w-[min(30rem,calc(100vw-2rem))] -translate-1/2 animate-rise rounded-2xl bg-raised overflow-y-auto p-6 shadow-float"
        >
          <Dialog.Title className="text-lg font-semibold">Keyboard shortcuts</Dialog.Title>
          <div className="mt-4">
            <ShortcutList />
          </div>
          <div className="mt-5 flex justify-end">
            <Dialog.Close className="plain-button">Close</Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
