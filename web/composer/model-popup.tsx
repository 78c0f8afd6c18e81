import { Popover, Tabs } from "radix-ui";
import { useId, useRef, useState, type ReactNode } from "react";
import type { ModelInfo } from "../../protocol/api.ts";
import { composerFieldId } from "./composer.tsx";
import { ModelButton } from "./model-button.tsx";
import { ModelList } from "./model-list.tsx";
import { canThink, effortWords, usualEffort, type Choice } from "../labels/choice.ts";
import type { Effort } from "../../protocol/model.ts";
import { useMedia } from "../lib/use-media.ts";
import { composer } from "../strings/composer.ts";
import { ProfileList } from "./profile-list.tsx";

const strings = composer.model;

type Props = {
  readonly words: readonly string[];
  readonly models: readonly ModelInfo[];
  readonly value: Choice;
  readonly onChange: (change: Partial<Choice>) => void;
};

/** Mounted by the first click on its button, so it starts open. */
const ModelPopup = ({ words, models, value, onChange }: Props) => {
  const [open, setOpen] = useState(true);
  const hasPicked = useRef(false);
  const isTouch = useMedia("(pointer: coarse)");
  const pick = (change: Partial<Choice>) => {
    hasPicked.current = true;
    setOpen(false);
    if (Object.keys(change).length > 0) onChange(change);
  };
  const model = models.find(({ id }) => id === value.model);
  return (
    <Popover.Root
      open={open}
      onOpenChange={(next) => {
        hasPicked.current = false;
        setOpen(next);
      }}
    >
      <Popover.Trigger asChild>
        <ModelButton words={words} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          side="top"
          sideOffset={8}
          collisionPadding={12}
          aria-label={strings.popup}
          onCloseAutoFocus={(event) => {
            // After a choice the user writes on; after Escape the button has the focus. On touch screens the keyboard stays closed.
            if (!hasPicked.current || isTouch) return;
            event.preventDefault();
            document.getElementById(composerFieldId)?.focus();
          }}
          className="z-50 flex max-h-[min(32rem,var(--radix-popover-content-available-height))] w-[min(26rem,calc(100vw-1.5rem))] animate-rise flex-col rounded-2xl bg-raised p-1.5 shadow-float"
        >
          <Tabs.Root defaultValue="model" className="flex min-h-0 flex-col">
            <Tabs.List aria-label={strings.tabs} className="mb-1.5 flex flex-none rounded-xl bg-hover p-0.5">
              <Tab value="model">{strings.model}</Tab>
              <Tab value="profile">{strings.profile}</Tab>
            </Tabs.List>
            <Tabs.Content value="model" tabIndex={-1} className="flex min-h-0 flex-col outline-none">
              <ModelList
                models={models}
                modelId={value.model}
                onPick={(id) => pick(id === value.model ? {} : { model: id })}
              />
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

/** A profile can also set the model. */
const toChange = (profile: string, model: string | null, models: readonly ModelInfo[]): Partial<Choice> => ({
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

type EffortProps = { readonly effort: Effort | null; readonly onPick: (effort: Effort | null) => void };

const efforts = Object.keys(effortWords) as readonly Effort[];

/** Choice of the reasoning effort. The default is stored as no choice. */
const EffortChoice = ({ effort, onPick }: EffortProps) => {
  const name = useId();
  const shown = effort ?? usualEffort;
  return (
    <div className="flex-none px-2 pt-2 pb-1">
      <div role="radiogroup" aria-label={strings.thinking} className="flex items-center gap-2">
        <span aria-hidden="true" className="text-xs font-medium text-soft">
          {strings.thinking}
        </span>
        <span className="ms-auto flex rounded-full bg-hover p-0.5">
          {efforts.map((one) => (
            <label
              key={one}
              className="relative flex h-7 cursor-pointer items-center rounded-full px-2.5 text-xs text-soft has-checked:bg-[light-dark(var(--raised),var(--press))] has-checked:font-medium has-checked:text-ink has-checked:shadow-[0_1px_2px_var(--shadow)] has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:h-10 pointer-coarse:px-3"
            >
              <input
                type="radio"
                name={name}
                aria-label={strings.effort(effortWords[one].name, effortWords[one].about)}
                className="absolute opacity-0"
                checked={one === shown}
                onChange={() => onPick(one === usualEffort ? null : one)}
              />
              {effortWords[one].name}
            </label>
          ))}
        </span>
      </div>
      <p aria-hidden="true" className="mt-1 text-xs text-soft">
        {effortWords[shown].about}
      </p>
    </div>
  );
};

export default ModelPopup;
