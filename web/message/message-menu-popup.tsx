import { GitBranch, MessageSquareQuote, MessageSquareShare, Pin, ScanEye, TextQuote, TextSelect } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { MenuButton } from "../ui/menu-button.tsx";
import { MenuItem } from "../ui/menu-item.tsx";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import { describeCost } from "../labels/cost.ts";
import { message as strings } from "../strings/message.ts";

type Act = (() => void) | null;

/** Maximum length of a title. */
const MOST_CHARACTERS = 200;

type Props = {
  readonly threadId: string;
  readonly runId: string | null;
  readonly onOpenReceipts: Act;
  readonly onQuote: Act;
  readonly onQuoteSelection: Act;
  readonly onPin: Act;
  readonly onPinSelection: Act;
  readonly onBranch: Act;
  /** The answer that can be continued in a new thread; null if it cannot. */
  readonly forkFrom: string | null;
};

/** Mounted by the first click on its button, so it starts open. Rendered inside the main landmark. */
const MessageMenuPopup = ({ threadId, runId, forkFrom, ...acts }: Props) => {
  const { commands, getFeed, goTo } = usePage();
  const { onOpenReceipts, onQuote, onQuoteSelection, onPin, onPinSelection, onBranch } = acts;
  const state = getFeed(threadId).state.get();
  const thread = state.phase === "ready" ? state.view.thread : null;
  const fork = async (messageId: string, title: string) => {
    const name = title === "" ? "" : strings.menu.forkTitle(title).slice(0, MOST_CHARACTERS);
    const id = await commands.fork(threadId, messageId, name);
    if (id !== null) goTo(id);
  };
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>
        <MenuButton title={strings.menu.target} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={keepFocus}
          className="animate-rise z-50 min-w-48 rounded-xl bg-raised p-1.5 shadow-float"
        >
          {onQuoteSelection && (
            <MenuItem Icon={TextQuote} label={strings.menu.quoteSelection} onSelect={onQuoteSelection} />
          )}
          {onQuote && <MenuItem Icon={MessageSquareQuote} label={strings.menu.quote} onSelect={onQuote} />}
          {onBranch && <MenuItem Icon={GitBranch} label={strings.menu.branch} onSelect={onBranch} />}
          {forkFrom !== null && thread && !thread.temporary && (
            <MenuItem
              Icon={MessageSquareShare}
              label={strings.menu.fork}
              onSelect={() => void fork(forkFrom, thread.title)}
            />
          )}
          {onPinSelection && <MenuItem Icon={TextSelect} label={strings.menu.pinSelection} onSelect={onPinSelection} />}
          {onPin && <MenuItem Icon={Pin} label={strings.menu.pin} onSelect={onPin} />}
          {onOpenReceipts && <MenuItem Icon={ScanEye} label={strings.receipts} onSelect={onOpenReceipts} />}
          {runId !== null && <MessageCost threadId={threadId} runId={runId} />}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};

/** The chosen action may have moved the focus: then it stays there. */
const keepFocus = (event: Event): void => {
  if (document.activeElement instanceof HTMLTextAreaElement) event.preventDefault();
};

type CostProps = { readonly threadId: string; readonly runId: string };

/** Cost of this answer, requested when its menu is opened: messages do not include it. */
const MessageCost = ({ threadId, runId }: CostProps) => {
  const { client } = usePage();
  const { state } = useLoad(`${threadId} ${runId}`, (signal) => client.getRun({ params: { threadId, runId } }, signal));
  return (
    <DropdownMenu.Label className="min-h-7 max-w-72 px-2.5 pt-2 pb-1 text-xs text-soft">
      {state.phase === "ready"
        ? describeCost(state.value.run)
        : state.phase === "failed"
          ? strings.menu.costUnknown
          : "…"}
    </DropdownMenu.Label>
  );
};

export default MessageMenuPopup;
