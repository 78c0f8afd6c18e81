import { Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { useEffect, useId, useMemo, useState, type KeyboardEvent } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { takeBufferedKeys } from "../state/buffered-keys.ts";
import { useFocusBack } from "../lib/use-focus-back.ts";
import { useLoad } from "../lib/use-load.ts";
import { toNextRow } from "../lib/row-keys.ts";
import { useThread } from "../state/use-thread.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { actions } from "../strings/actions.ts";
import { palette as strings } from "../strings/palette.ts";
import type { Command } from "./commands.ts";
import { listCommands, toSearchFor } from "./commands.ts";
import { addRecent, readRecent } from "./find-commands.ts";
import { groupCommands } from "./group-commands.ts";
import { listChoices } from "./list-choices.ts";
import { PaletteList, toOptionId } from "./palette-list.tsx";

type Props = { readonly onClose: () => void };

const recentKey = "palette.recent";

/** The command palette: arrow keys move, Enter runs. */
const Palette = ({ onClose }: Props) => {
  const threadId = useSignal(usePage().route).threadId;
  return threadId === null ? (
    <PaletteDialog thread={null} onClose={onClose} />
  ) : (
    <InThread threadId={threadId} onClose={onClose} />
  );
};

const InThread = ({ threadId, onClose }: Props & { readonly threadId: string }) => (
  <PaletteDialog thread={useThread(threadId)} onClose={onClose} />
);

const PaletteDialog = ({ thread, onClose }: Props & { readonly thread: ThreadSummary | null }) => {
  const page = usePage();
  const listId = useId();
  const focusBack = useFocusBack();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const commands = useCommands(thread);
  const recent = readRecent(page.storage.get(recentKey));
  const words = query.trim();
  const found = groupCommands(commands, query, recent);
  const groups =
    words === "" ? found : [...found, { title: strings.groups.search, commands: [toSearchFor(page, words)] }];
  const shown = groups.flatMap((group) => group.commands);
  const active = Math.min(at, shown.length - 1);

  const run = (command: Command) => {
    page.storage.set(recentKey, (command.id === "search-for" ? recent : addRecent(recent, command.id)).join(" "));
    // Closed first: while it is open, nothing else can take the focus.
    onClose();
    setTimeout(command.run, 0);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const command = shown[active];
    if (event.key === "Enter" && command) {
      event.preventDefault();
      return run(command);
    }
    const isInText = (event.key === "Home" || event.key === "End") && query !== "";
    const next = isInText ? null : toNextRow(event.key, active, shown.length);
    if (next === null) return;
    event.preventDefault();
    setAt(next);
  };
  useEffect(() => {
    document.getElementById(toOptionId(listId, active))?.scrollIntoView({ block: "nearest" });
  }, [listId, active]);

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={focusBack}
          className="fixed inset-x-3 top-[max(0.75rem,env(safe-area-inset-top))] z-50 mx-auto flex max-h-[min(34rem,calc(100dvh-1.5rem))] max-w-xl animate-rise flex-col overflow-hidden rounded-2xl bg-raised shadow-float sm:top-[12dvh] sm:max-h-[min(34rem,76dvh)]"
        >
          <Dialog.Title className="sr-only">{strings.title}</Dialog.Title>
          <div className="flex flex-none items-center gap-3 px-4">
            <Search aria-hidden="true" className="size-4.5 flex-none text-soft" />
            <input
              role="combobox"
              aria-expanded="true"
              aria-autocomplete="list"
              aria-controls={listId}
              aria-activedescendant={shown.length > 0 ? toOptionId(listId, active) : undefined}
              aria-label={strings.field}
              placeholder={strings.field}
              autoComplete="off"
              spellCheck={false}
              value={query}
              onChange={(event) => {
                setQuery(event.target.value);
                setAt(0);
              }}
              onFocus={() => {
                const typed = takeBufferedKeys();
                if (typed !== "") setQuery((before) => before + typed);
              }}
              onKeyDown={onKeyDown}
              className="h-13 min-w-0 flex-1 bg-transparent outline-none placeholder:text-soft"
            />
            <Dialog.Close className="rounded-lg px-2 py-1 text-xs text-soft hover:bg-hover hover:text-ink pointer-coarse:py-2.5">
              {actions.close}
            </Dialog.Close>
          </div>
          <PaletteList
            listId={listId}
            groups={groups}
            active={active}
            isSearch={words !== ""}
            onRun={run}
            onPoint={setAt}
          />
          <p role="status" className="sr-only">
            {strings.count(shown.length)}
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
};

function useCommands(thread: ThreadSummary | null): readonly Command[] {
  const page = usePage();
  const { view } = useSignal(page.list.state);
  const { projects } = useSignal(page.projects.state);
  const models = useSignal(page.session.models);
  const { state } = useLoad("profiles", (signal) => page.client.listProfiles({ params: {} }, signal));
  const profiles = state.phase === "ready" ? state.value.profiles : undefined;
  useEffect(() => void page.projects.load(), [page]);
  return useMemo(() => {
    const choices = { threads: view.threads, projects, models, profiles: profiles ?? [] };
    return sortByGroup([...listCommands({ page, thread }), ...listChoices(page, thread, choices)]);
  }, [page, thread, view, projects, models, profiles]);
}

const order: readonly string[] = (
  ["move", "thread", "newThread", "threads", "goTo", "projects", "theme", "settings", "model"] as const
).map((name) => strings.groups[name]);

const sortByGroup = (commands: readonly Command[]): readonly Command[] =>
  commands.toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group));

export default Palette;
