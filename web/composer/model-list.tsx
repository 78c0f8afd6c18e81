import { Check, Star } from "lucide-react";
import { useId, useMemo, useState, type KeyboardEvent, type ReactNode } from "react";
import type { Model } from "../../protocol/api.ts";
import { groupDigits } from "../lib/format.ts";
import { toNextRow } from "../lib/row-keys.ts";
import { useMedia } from "../lib/use-media.ts";
import { toSettingsPath } from "../state/route.ts";
import { composer } from "../strings/composer.ts";
import { describeModel, findTypedId, sortModels } from "../labels/model.ts";

const strings = composer.model;

type Props = {
  readonly models: readonly Model[];
  readonly modelId: string;
  readonly onPick: (modelId: string) => void;
};

/** More rows than anyone scrolls through; the filter finds the others. */
const mostRows = 100;

/**
 * A filtered list of the models that can be used, favorites first: arrow keys move, Enter picks. A complete id that is in no list
 * can be used, too. On touch screens the filter is not focused, because the keyboard would cover the list.
 */
export const ModelList = ({ models, modelId, onPick }: Props) => {
  const listId = useId();
  const isTouch = useMedia("(pointer: coarse)");
  const [query, setQuery] = useState("");
  const matches = useMemo(
    () => sortModels(models, query).filter(({ id, available }) => available || id === modelId),
    [models, query, modelId],
  );
  const typedId = findTypedId(models, query);
  const rows = matches.slice(0, mostRows);
  const ids = [...rows.filter(({ available }) => available).map(({ id }) => id), ...(typedId ? [typedId] : [])];
  const [at, setAt] = useState(() => Math.max(0, ids.indexOf(modelId)));
  const activeId = ids[Math.min(at, ids.length - 1)];
  const toOptionId = (id: string) => `${listId}-${id}`;

  const onKeyDown = (event: KeyboardEvent) => {
    const next = toNextRow(event.key, at, ids.length);
    if (next !== null) {
      event.preventDefault();
      setAt(next);
      document.getElementById(toOptionId(ids[next] ?? ""))?.scrollIntoView({ block: "nearest" });
    }
    if (event.key === "Enter" && activeId && !event.nativeEvent.isComposing) onPick(activeId);
  };
  const toOption = (model: Model) => (
    <Option
      key={model.id}
      id={toOptionId(model.id)}
      isSelected={model.id === modelId}
      isActive={model.id === activeId}
      isUsable={model.available}
      name={model.name}
      about={model.available ? describeModel(model) : (model.unavailable ?? "")}
      onPick={() => onPick(model.id)}
    >
      {model.favorite && (
        <Star role="img" aria-label={strings.favorite} className="mt-1 size-3.5 flex-none fill-current text-accent" />
      )}
    </Option>
  );

  return (
    <>
      <input
        autoFocus={!isTouch}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={activeId ? toOptionId(activeId) : undefined}
        aria-label={strings.filter}
        placeholder={strings.filter}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="mb-1 h-9 flex-none rounded-xl bg-hover px-3 text-sm placeholder:text-soft pointer-coarse:h-11 pointer-coarse:text-base"
      />
      <div id={listId} role="listbox" aria-label={strings.list} tabIndex={-1} className="min-h-0 overflow-y-auto">
        <div role="group" aria-label={strings.available}>
          {rows.map(toOption)}
          {typedId && (
            <Option
              id={toOptionId(typedId)}
              isSelected={false}
              isActive={typedId === activeId}
              isUsable
              name={strings.useTyped(typedId)}
              about={strings.typedAbout}
              onPick={() => onPick(typedId)}
            />
          )}
        </div>
      </div>
      {rows.length < matches.length && (
        <p className="px-3 pt-2 text-xs text-soft">
          {strings.more(groupDigits(rows.length), groupDigits(matches.length))}
        </p>
      )}
      {ids.length === 0 && <p className="px-3 py-4 text-sm text-soft">{strings.noResults}</p>}
      <a
        href={toSettingsPath("models")}
        className="mx-2 mt-1 self-start rounded-lg px-1 py-1.5 text-xs text-soft underline-offset-2 hover:text-ink hover:underline pointer-coarse:py-3"
      >
        {strings.connect}
      </a>
    </>
  );
};

type OptionProps = {
  readonly id: string;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly isUsable: boolean;
  readonly name: string;
  readonly about: string;
  readonly children?: ReactNode;
  readonly onPick: () => void;
};

const Option = ({ id, isSelected, isActive, isUsable, name, about, children, onPick }: OptionProps) => (
  <div
    id={id}
    role="option"
    aria-selected={isSelected}
    aria-disabled={!isUsable}
    onClick={() => isUsable && onPick()}
    className={`flex items-start gap-2 rounded-xl px-3 py-1.5 text-sm [contain-intrinsic-size:auto_3rem] [content-visibility:auto] pointer-coarse:py-2.5 ${isUsable ? "cursor-pointer hover:bg-hover" : "text-soft"} ${isActive ? "bg-hover" : ""}`}
  >
    <span className="min-w-0 flex-1">
      <span dir="auto" className="block font-medium wrap-anywhere">
        {name}
      </span>
      <span dir="auto" className="block text-xs wrap-anywhere text-soft">
        {about}
      </span>
    </span>
    {children}
    {isSelected && <Check aria-hidden="true" className="mt-0.5 size-4 flex-none text-accent" />}
  </div>
);
