import { Dialog } from "radix-ui";
import { shell as strings } from "../strings/shell.ts";
import { Sidebar } from "./sidebar.tsx";

/** The sidebar on a narrow page: over the thread until something is chosen. */
const Drawer = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Overlay className="fixed inset-0 z-30 bg-black/40" />
      <Dialog.Content
        aria-describedby={undefined}
        tabIndex={-1}
        onOpenAutoFocus={(event) => {
          // Not the search field: on a phone that would open the keyboard.
          event.preventDefault();
          if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus();
        }}
        className="fixed inset-y-0 start-0 z-40 w-[min(20rem,86vw)] animate-slide-in shadow-float outline-none"
      >
        <Dialog.Title className="sr-only">{strings.sidebar.drawer}</Dialog.Title>
        <Sidebar />
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);

export default Drawer;
