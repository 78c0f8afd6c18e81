import { useEffect, useId, useState, type KeyboardEvent } from "react";
import type { EntityLine } from "../../protocol/project/project.ts";
import { useDebounced } from "../lib/use-debounced.ts";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import { KindMark } from "./entity-marks.tsx";
import { entities } from "../strings/project/entities.ts";
import { nameKind } from "../labels/entities.ts";

const strings = entities.picker;

type Props = {
  readonly projectId: string;
  readonly label: string;
  readonly hint?: string;
  /** Ids to leave out. */
  readonly without?: readonly string[];
  readonly onPick: (entity: EntityLine) => void;
  readonly onLeave?: () => void;
};

const maxItems = 8;

/** Finds an entity by typing; without a query, the most recently changed. */
export const EntityPicker = ({ projectId, label, hint = strings.hint, without = [], onPick, onLeave }: Props) => {
  const listId = useId();
  const [query, setQuery] = useState("");
  const found = useMatches(projectId, query);
  const items = found?.filter(({ id }) => !without.includes(id)).slice(0, maxItems) ?? [];
  const [at, setAt] = useState(0);
  useEffect(() => setAt(0), [found]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" && items.length > 0) setAt((at + 1) % items.length);
    else if (event.key === "ArrowUp" && items.length > 0) setAt((at + items.length - 1) % items.length);
    else if (event.key === "Enter" && items[at]) onPick(items[at]);
    else if (event.key === "Escape" && onLeave) onLeave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="min-w-0" data-leaves>
      <input
        autoFocus
        dir="auto"
        role="combobox"
        aria-label={label}
        aria-expanded={items.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={items[at] ? `${listId}-${at}` : undefined}
        placeholder={hint}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-9 w-full rounded-xl bg-hover px-3 text-sm placeholder:text-soft pointer-coarse:h-11 pointer-coarse:text-base"
      />
      <ul id={listId} role="listbox" aria-label={label} className="mt-1 max-h-72 overflow-y-auto">
        {items.map((item, index) => (
          <li
            key={item.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(item)}
            className={`flex min-h-9 cursor-pointer items-center gap-2.5 rounded-xl px-2.5 text-sm hover:bg-hover pointer-coarse:min-h-11 ${index === at ? "bg-hover" : ""}`}
          >
            <KindMark kind={item.kind} />
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {item.title}
            </span>
            <span className="flex-none text-xs text-soft">{nameKind(item.kind)}</span>
          </li>
        ))}
      </ul>
      <p role="status" className="px-2.5 py-1 text-sm text-soft empty:hidden">
        {found !== null && items.length === 0 ? strings.empty : ""}
      </p>
    </div>
  );
};

/** Entities that match the query; the previous ones while a new query loads. */
function useMatches(projectId: string, query: string): readonly EntityLine[] | null {
  const { client } = usePage();
  const q = useDebounced(query.trim());
  const { state } = useLoad(`${projectId} ${q}`, (signal) =>
    client.listEntities(
      { params: { projectId }, query: { limit: 20, sort: "updated", ...(q === "" ? {} : { q }) } },
      signal,
    ),
  );
  const [found, setFound] = useState<readonly EntityLine[] | null>(null);
  if (state.phase === "ready" && state.value.entities !== found) setFound(state.value.entities);
  return found;
}
