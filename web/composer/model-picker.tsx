import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { Popover } from "radix-ui";
import { useCell } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { ModelList } from "./model-list.tsx";

type Props = { readonly modelId: string; readonly onPick: (modelId: string) => void };

export const ModelPicker = ({ modelId, onPick }: Props) => {
  const models = useCell(usePage().session.models);
  const [open, setOpen] = useState(false);
  const name = models.find((model) => model.id === modelId)?.name ?? (modelId || "Model");
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        aria-label={`Model: ${name}`}
        className="flex h-9 min-w-0 items-center gap-1 rounded-xl px-2.5 text-sm text-soft transition-colors hover:bg-hover hover:text-ink"
      >
        <span className="truncate">{name}</span>
        <ChevronDown aria-hidden="true" className="size-4 flex-none" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={8}
          collisionPadding={12}
          aria-label="Choose a model"
          className="animate-rise z-50 flex max-h-(--radix-popover-content-available-height) w-[min(25rem,calc(100vw-1.5rem))] flex-col rounded-2xl bg-raised p-1.5 shadow-float"
        >
          <ModelList
            models={models}
            modelId={modelId}
            onPick={(id) => {
              setOpen(false);
              onPick(id);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};
