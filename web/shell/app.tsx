import { Dialog } from "radix-ui";
import { useEffect, useState } from "react";
import { Sidebar } from "../list/sidebar.tsx";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { useCell } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { StartPage } from "../thread/start-page.tsx";
import { ThreadPage } from "../thread/thread-page.tsx";
import { DrawerContext } from "./drawer-button.tsx";
import { SignIn } from "./sign-in.tsx";
import { Trouble } from "./trouble.tsx";
import { useShortcuts } from "./use-shortcuts.ts";
import { useTitle } from "./use-title.ts";

export const App = () => {
  const { session, list, route } = usePage();
  const { phase } = useCell(session.state);
  const { threadId } = useCell(route);
  useEffect(() => {
    void session.load();
    list.open();
    loadMarkdown();
  }, [session, list]);
  useShortcuts();
  useTitle();
  if (phase === "signed-out") return <SignIn />;
  return (
    <Frame threadId={threadId}>
      {threadId === null ? <StartPage /> : <ThreadPage key={threadId} threadId={threadId} />}
    </Frame>
  );
};

type FrameProps = { readonly threadId: string | null; readonly children: React.ReactNode };

const Frame = ({ threadId, children }: FrameProps) => {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [threadId]);
  return (
    <DrawerContext value={() => setOpen(true)}>
      <div className="flex h-full">
        <aside aria-label="Sidebar" className="hidden w-72 flex-none md:block lg:w-80">
          <Sidebar />
        </aside>
        <Dialog.Root open={isOpen} onOpenChange={setOpen}>
          <Dialog.Portal>
            <Dialog.Overlay className="fixed inset-0 z-30 bg-black/40 md:hidden" />
            <Dialog.Content
              aria-describedby={undefined}
              className="fixed inset-y-0 start-0 z-40 w-[min(20rem,86vw)] animate-slide-in shadow-float md:hidden"
            >
              <Dialog.Title className="sr-only">Threads</Dialog.Title>
              <Sidebar />
            </Dialog.Content>
          </Dialog.Portal>
        </Dialog.Root>
        <main className="flex h-full min-w-0 flex-1 flex-col">{children}</main>
        <Trouble />
      </div>
    </DrawerContext>
  );
};
