import { Check, Star } from "lucide-react";
import { useId, useMemo, useState, type KeyboardEvent, type ReactNode } from "react";
import type { ModelInfo } from "../../protocol/api.ts";
import { groupDigits } from "../lib/format.ts";
import { toNextRow } from "../lib/row-keys.ts";
import { useMedia } from "../lib/use-media.ts";
import { useRequest } from "../lib/use-request.ts";
import { usePage, type Page } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { composer } from "../strings/composer.ts";
import { describeModel, describeObstacle, findTypedId, sortModels } from "../labels/model.ts";

const strings = composer.model;

type Props = {
  readonly models: readonly ModelInfo[];
  /** The chosen model: first in the list and selected. */
  readonly modelId: string;
  /** A model that answered before or failed to: not among the first. */
  readonly avoided?: string;
  readonly onPick: (modelId: string) => void;
};

/** More rows than anyone scrolls through; the filter finds the others. */
const mostRows = 100;
const mostRecent = 5;

/**
 * A filtered list of the models that can be used: the chosen one, favorites, the default, recent ones, the others, then the demo model. Arrow
 * keys move, Enter picks. A complete id that is in no list can be used, too. On touch screens the filter is not focused, because
 * the keyboard would cover the list.
 */
export const ModelList = ({ models, modelId, avoided = "", onPick }: Props) => {
  const listId = useId();
  const isTouch = useMedia("(pointer: coarse)");
  const [query, setQuery] = useState("");
  const matches = useMatches({ models, modelId, avoided, query });
  const typedId = findTypedId(models, query);
  // A chosen model that no list has was typed, or is gone.
  const unlistedId = query === "" && modelId !== "" && !models.some(({ id }) => id === modelId) ? modelId : null;
  const rows = matches.slice(0, mostRows);
  const ids = [...(unlistedId ? [unlistedId] : []), ...rows.map(({ id }) => id), ...(typedId ? [typedId] : [])];
  const [at, setAt] = useState(0);
  const activeId = ids[Math.min(at, ids.length - 1)];
  const toOptionId = (id: string) => `${listId}-${id.replaceAll(/\s/g, "_")}`;
  const owned = ids.map(toOptionId).join(" ");

  const onKeyDown = (event: KeyboardEvent) => {
    const next = toNextRow(event.key, at, ids.length);
    if (next !== null) {
      event.preventDefault();
      setAt(next);
      document.getElementById(toOptionId(ids[next] ?? ""))?.scrollIntoView({ block: "nearest" });
    }
    if (event.key === "Enter" && activeId && !event.nativeEvent.isComposing) onPick(activeId);
  };
  const toOption = (model: ModelInfo) => (
    <Option
      key={model.id}
      id={toOptionId(model.id)}
      isSelected={model.id === modelId}
      isActive={model.id === activeId}
      isUsable={model.available}
      name={model.name}
      about={toAbout(model)}
      onPick={() => onPick(model.id)}
    >
      <FavoriteButton model={model} isReachable={model.id === activeId} />
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
      <div className="min-h-0 overflow-y-auto">
        {/* Owns the options, because a listbox cannot contain the buttons next to them. */}
        <div id={listId} role="listbox" aria-label={strings.list} aria-owns={owned} className="h-px" />
        <div role="group" aria-label={strings.available}>
          {unlistedId && (
            <Option
              id={toOptionId(unlistedId)}
              isSelected
              isActive={unlistedId === activeId}
              isUsable
              name={unlistedId}
              about={strings.unlisted}
              onPick={() => onPick(unlistedId)}
            />
          )}
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
      <ConnectLink />
    </>
  );
};

type MatchOptions = Required<Pick<Props, "models" | "modelId" | "avoided">> & { readonly query: string };

/** The models that can be used and match the query, the preferred ones first. */
function useMatches({ models, modelId, avoided, query }: MatchOptions): readonly ModelInfo[] {
  const page = usePage();
  // As they were when the list was opened, so that rows do not move under the pointer.
  const [preferred] = useState(() => listPreferred(page));
  return useMemo(() => {
    const sorted = sortModels(models, query, { current: modelId, preferred, avoided });
    return sorted.filter(({ id, available }) => available || id === modelId);
  }, [models, query, modelId, preferred, avoided]);
}

/** The default model, then those of recent threads. */
function listPreferred({ session, list }: Page): readonly string[] {
  const state = session.state.get();
  const { threads } = list.state.get().view;
  const recent = new Set(threads.toSorted((a, b) => b.updatedAt - a.updatedAt).map(({ model }) => model));
  const defaultModel = state.phase === "signed-in" ? [state.me.defaultModel] : [];
  return [...new Set([...defaultModel, ...[...recent].slice(0, mostRecent)])];
}

const toAbout = (model: ModelInfo): string =>
  [...(model.failing ? [strings.failing] : []), model.available ? describeModel(model) : describeObstacle(model)].join(
    " · ",
  );

const ConnectLink = () => (
  <a
    href={toSettingsPath("models")}
    className="mx-2 mt-1 self-start rounded-lg px-1 py-1.5 text-xs text-soft underline-offset-2 hover:text-ink hover:underline pointer-coarse:py-3"
  >
    {strings.connect}
  </a>
);

type OptionProps = {
  readonly id: string;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly isUsable: boolean;
  readonly name: string;
  readonly about: string;
  /** Next to the option. */
  readonly children?: ReactNode;
  readonly onPick: () => void;
};

const Option = ({ id, isSelected, isActive, isUsable, name, about, children, onPick }: OptionProps) => (
  <div
    className={`flex items-start rounded-xl text-sm [contain-intrinsic-size:auto_3rem] [content-visibility:auto] ${isUsable ? "hover:bg-hover" : "text-soft"} ${isActive ? "bg-hover" : ""}`}
  >
    <div
      id={id}
      role="option"
      aria-selected={isSelected}
      aria-disabled={!isUsable}
      onClick={() => isUsable && onPick()}
      className={`flex min-w-0 flex-1 items-start gap-2 py-1.5 ps-3 pe-1 pointer-coarse:py-2.5 ${isUsable ? "cursor-pointer" : ""}`}
    >
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block font-medium wrap-anywhere">
          {name}
        </span>
        <span dir="auto" className="block text-xs wrap-anywhere text-soft">
          {about}
        </span>
      </span>
      {isSelected && <Check aria-hidden="true" className="mt-0.5 size-4 flex-none text-accent" />}
    </div>
    {children}
  </div>
);

type FavoriteProps = {
  readonly model: ModelInfo;
  /** Tab reaches the star of the active row only, so that it is not a stop on every row. */
  readonly isReachable: boolean;
};

const FavoriteButton = ({ model: { id, name, favorite = false }, isReachable }: FavoriteProps) => {
  const { client, session } = usePage();
  const { state, send } = useRequest();
  const toggle = async () => {
    if (await send(() => client.changeModel({ body: { id, favorite: !favorite } }))) await session.load();
  };
  return (
    <button
      type="button"
      aria-label={strings.favoriteFor(name)}
      aria-pressed={favorite}
      title={state.name === "failed" ? state.text : strings.favoriteFor(name)}
      tabIndex={isReachable ? 0 : -1}
      disabled={state.name === "sending"}
      onClick={() => void toggle()}
      className="icon-button m-0.5 size-8 flex-none pointer-coarse:size-11"
    >
      <Star aria-hidden="true" className={`size-3.5 ${favorite ? "fill-current text-accent" : "text-soft"}`} />
    </button>
  );
};
