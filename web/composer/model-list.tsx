import { Check } from "lucide-react";
import { useId, useMemo, useState, type KeyboardEvent } from "react";
import type { Model } from "../../protocol/api.ts";
import { toNextRow } from "../lib/row-keys.ts";
import { composer } from "../strings/composer.ts";
import { describeModel, groupModels, sortModels } from "../labels/model.ts";

const strings = composer.model;

type Props = {
  readonly models: readonly Model[];
  readonly modelId: string;
  readonly onPick: (modelId: string) => void;
};

/** A filtered list: arrow keys move, Enter picks. Unusable models are shown with the reason. */
export const ModelList = ({ models, modelId, onPick }: Props) => {
  const listId = useId();
  const [query, setQuery] = useState("");
  const shown = useMemo(() => sortModels(models, query), [models, query]);
  const usable = shown.filter((model) => model.available);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      usable.findIndex((model) => model.id === modelId),
    ),
  );
  const active = usable[Math.min(at, usable.length - 1)];

  const onKeyDown = (event: KeyboardEvent) => {
    const next = toNextRow(event.key, at, usable.length);
    if (next !== null) {
      event.preventDefault();
      setAt(next);
      document.getElementById(`${listId}-${usable[next]?.id}`)?.scrollIntoView({ block: "nearest" });
    }
    if (event.key === "Enter" && active && !event.nativeEvent.isComposing) onPick(active.id);
  };

  return (
    <>
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={active ? `${listId}-${active.id}` : undefined}
        aria-label={strings.filter}
        placeholder={strings.filter}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="mb-1 h-9 flex-none rounded-xl bg-hover px-3 text-sm placeholder:text-soft"
      />
      <div id={listId} role="listbox" aria-label={strings.list} tabIndex={-1} className="min-h-0 overflow-y-auto">
        {groupModels(shown).map(({ reason, models: members }) => (
          <div key={reason} role="group" aria-label={reason ?? strings.available}>
            {reason !== null && (
              <p role="presentation" className="px-3 pt-3 pb-1 text-xs font-medium text-soft">
                {reason}
              </p>
            )}
            {members.map((model) => (
              <div
                key={model.id}
                id={`${listId}-${model.id}`}
                role="option"
                aria-selected={model.id === modelId}
                aria-disabled={!model.available}
                onClick={() => model.available && onPick(model.id)}
                className={`flex items-start gap-2 rounded-xl px-3 py-1.5 text-sm ${model.available ? "cursor-pointer hover:bg-hover" : "text-soft"} ${model === active ? "bg-hover" : ""}`}
              >
                <span className="min-w-0 flex-1">
                  <span className="block font-medium">{model.name}</span>
                  <span className="block text-xs text-soft">{describeModel(model)}</span>
                </span>
                {model.id === modelId && <Check aria-hidden="true" className="mt-0.5 size-4 flex-none text-accent" />}
              </div>
            ))}
          </div>
        ))}
      </div>
      {shown.length === 0 && <p className="px-3 py-4 text-sm text-soft">{strings.noResults}</p>}
    </>
  );
};
