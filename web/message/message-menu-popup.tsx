import { GitBranch, MessageSquareQuote, Pin, ScanEye, TextQuote, TextSelect } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { MenuButton } from "../ui/menu-button.tsx";
import { MenuItem } from "../ui/menu-item.tsx";
import { MessageCost } from "./message-cost.tsx";

type Act = (() => void) | null;

type Props = {
  readonly threadId: string;
  readonly runId: string | null;
  readonly onLook: Act;
  readonly onQuote: Act;
  readonly onQuoteWords: Act;
  readonly onPin: Act;
  readonly onPinWords: Act;
  readonly onGoOn: Act;
};

/** Mounted by the first click on its button, so it starts open. Rendered inside the main landmark. */
const MessageMenuPopup = ({ threadId, runId, ...acts }: Props) => {
  const { onLook, onQuote, onQuoteWords, onPin, onPinWords, onGoOn } = acts;
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>
        <MenuButton title="this message" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={keepFocus}
          className="animate-rise z-50 min-w-48 rounded-xl bg-raised p-1.5 shadow-float"
        >
          {onQuoteWords && <MenuItem Icon={TextQuote} label="Quote the selected words" onSelect={onQuoteWords} />}
          {onQuote && <MenuItem Icon={MessageSquareQuote} label="Quote in your message" onSelect={onQuote} />}
          {onGoOn && <MenuItem Icon={GitBranch} label="Go on from here" onSelect={onGoOn} />}
          {onPinWords && <MenuItem Icon={TextSelect} label="Pin the selected words" onSelect={onPinWords} />}
          {onPin && <MenuItem Icon={Pin} label="Pin for this thread" onSelect={onPin} />}
          {onLook && <MenuItem Icon={ScanEye} label="What the model saw" onSelect={onLook} />}
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

export default MessageMenuPopup;
