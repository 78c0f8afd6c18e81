import { Pin, ScanEye, TextSelect } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { MenuButton } from "../list/menu-button.tsx";
import { MenuItem } from "../list/menu-item.tsx";

type Props = {
  readonly onLook: (() => void) | null;
  readonly onPin: (() => void) | null;
  readonly onPinWords: (() => void) | null;
};

/** Mounted by the first press on its button, so it begins open. It stands among the page's main things, not after them. */
const MessageMenuPopup = ({ onLook, onPin, onPinWords }: Props) => (
  <DropdownMenu.Root defaultOpen modal={false}>
    <DropdownMenu.Trigger asChild>
      <MenuButton title="this message" />
    </DropdownMenu.Trigger>
    <DropdownMenu.Portal container={document.querySelector("main")}>
      <DropdownMenu.Content
        align="start"
        sideOffset={4}
        className="animate-rise z-50 min-w-44 rounded-xl bg-raised p-1.5 shadow-float"
      >
        {onLook && <MenuItem Icon={ScanEye} label="What the model saw" onSelect={onLook} />}
        {onPinWords && <MenuItem Icon={TextSelect} label="Pin the selected words" onSelect={onPinWords} />}
        {onPin && <MenuItem Icon={Pin} label="Pin for this thread" onSelect={onPin} />}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);

export default MessageMenuPopup;
