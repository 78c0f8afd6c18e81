import { Popover } from "radix-ui";
import { useState } from "react";
import { ModelList } from "../composer/model-list.tsx";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { message } from "../strings/message.ts";
import { RegenerateWithButton } from "./regenerate-with.tsx";

type Props = {
  readonly hasLabel: boolean;
  readonly modelId: string;
  readonly onPick: (modelId: string) => void;
};

/** Mounted by the first click on its button, so it starts open. */
const RegeneratePopup = ({ hasLabel, modelId, onPick }: Props) => {
  const models = useSignal(usePage().session.models);
  const [open, setOpen] = useState(true);
  const pick = (id: string) => {
    setOpen(false);
    onPick(id);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <RegenerateWithButton hasLabel={hasLabel} />
      </Popover.Trigger>
      <Popover.Portal container={document.querySelector("main")}>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={message.regenerateWith.list}
          className="z-50 flex max-h-[min(24rem,var(--radix-popover-content-available-height))] w-[min(22rem,calc(100vw-1.5rem))] animate-rise flex-col rounded-2xl bg-raised p-1.5 shadow-float"
        >
          <ModelList models={models} modelId="" avoided={modelId} onPick={pick} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};

export default RegeneratePopup;
