import { useId } from "react";
import type { Effort } from "../../protocol/model.ts";
import { effortWords, usualEffort } from "../labels/choice.ts";

type Props = { readonly effort: Effort | null; readonly onPick: (effort: Effort | null) => void };

const efforts = Object.keys(effortWords) as readonly Effort[];

/** Choice of the reasoning effort. The default is stored as no choice. */
export const EffortChoice = ({ effort, onPick }: Props) => {
  const name = useId();
  const shown = effort ?? usualEffort;
  return (
    <div className="flex-none px-2 pt-2 pb-1">
      <div role="radiogroup" aria-label="Thinking" className="flex items-center gap-2">
        <span aria-hidden="true" className="text-xs font-medium text-soft">
          Thinking
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
                aria-label={`${effortWords[one].name}. ${effortWords[one].about}`}
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
