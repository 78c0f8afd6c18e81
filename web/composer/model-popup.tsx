import { Popover, Tabs } from "radix-ui";
import { useState, type ReactNode } from "react";
import type { Model } from "../../protocol/api.ts";
import { ModelButton } from "./model-button.tsx";
import { ModelList } from "./model-list.tsx";
import { canThink, type Choice } from "../labels/choice.ts";
import { EffortChoice } from "./effort-choice.tsx";
import { ProfileList } from "./profile-list.tsx";

type Props = {
  readonly words: readonly string[];
  readonly models: readonly Model[];
  readonly value: Choice;
  readonly onChange: (change: Partial<Choice>) => void;
};

/** Mounted by the first click on its button, so it starts open. */
const ModelPopup = ({ words, models, value, onChange }: Props) => {
  const [open, setOpen] = useState(true);
  const pick = (change: Partial<Choice>) => {
    setOpen(false);
    onChange(change);
  };
  const model = models.find(({ id }) => id === value.model);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <ModelButton words={words} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={8}
          collisionPadding={12}
          aria-label="Choose a model"
          className="z-50 flex max-h-[min(32rem,var(--radix-popover-content-available-height))] w-[min(26rem,calc(100vw-1.5rem))] animate-rise flex-col rounded-2xl bg-raised p-1.5 shadow-float"
        >
          <Tabs.Root defaultValue="model" className="flex min-h-0 flex-col">
            <Tabs.List aria-label="What to choose" className="mb-1.5 flex flex-none rounded-xl bg-hover p-0.5">
              <Tab value="model">Model</Tab>
              <Tab value="profile">Profile</Tab>
            </Tabs.List>
            <Tabs.Content value="model" tabIndex={-1} className="flex min-h-0 flex-col outline-none">
              <ModelList models={models} modelId={value.model} onPick={(id) => pick({ model: id })} />
              {canThink(model) && <EffortChoice effort={value.effort} onPick={(effort) => onChange({ effort })} />}
            </Tabs.Content>
            <Tabs.Content value="profile" tabIndex={-1} className="flex min-h-0 flex-col outline-none">
              <ProfileList
                profileId={value.profile}
                onPick={(profile) => pick(toChange(profile.id, profile.model, models))}
              />
            </Tabs.Content>
          </Tabs.Root>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};

/** A profile may come with its own model. */
const toChange = (profile: string, model: string | null, models: readonly Model[]): Partial<Choice> => ({
  profile,
  ...(model !== null && models.some(({ id, available }) => id === model && available) ? { model } : {}),
});

const Tab = ({ value, children }: { readonly value: string; readonly children: ReactNode }) => (
  <Tabs.Trigger
    value={value}
    className="h-8 flex-1 rounded-[0.6rem] text-sm text-soft hover:text-ink data-[state=active]:bg-[light-dark(var(--raised),var(--press))] data-[state=active]:font-medium data-[state=active]:text-ink data-[state=active]:shadow-[0_1px_2px_var(--shadow)] pointer-coarse:h-10"
  >
    {children}
  </Tabs.Trigger>
);

export default ModelPopup;
