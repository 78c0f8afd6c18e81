import { Popover } from "radix-ui";
import { useState } from "react";
import type { Model } from "../../protocol/api.ts";
import { ModelButton } from "./model-button.tsx";
import { ModelList } from "./model-list.tsx";

type Props = {
  readonly name: string;
  readonly models: readonly Model[];
  readonly modelId: string;
  readonly onPick: (modelId: string) => void;
};

/** Mounted by the first press on its button, so it begins open. */
const ModelPopup = ({ name, models, modelId, onPick }: Props) => {
  const [open, setOpen] = useState(true);
  const pick = (id: string) => {
    setOpen(false);
    onPick(id);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <ModelButton name={name} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={8}
          collisionPadding={12}
          aria-label="Choose a model"
          className="z-50 flex max-h-[min(30rem,var(--radix-popover-content-available-height))] w-[min(25rem,calc(100vw-1.5rem))] animate-rise flex-col rounded-2xl bg-raised p-1.5 shadow-float"
        >
          <ModelList models={models} modelId={modelId} onPick={pick} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};

export default ModelPopup;
