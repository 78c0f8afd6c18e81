import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { findKind, isEnded } from "../../../protocol/project/kinds.ts";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { moveAmongRows } from "../../lib/row-keys.ts";
import { useNow } from "../../lib/use-now.ts";
import { capital, groupDigits } from "../../lib/format.ts";
import { Select } from "../../ui/select.tsx";
import { EntityLink } from "../entity-link.tsx";
import { DueMark, PriorityMark, StateMark } from "../entity-marks.tsx";
import { QuickAdd } from "../quick-add.tsx";
import { Failed, Quiet, Waiting } from "../../ui/section.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { useEntities } from "../../state/project/use-entities.ts";
import { useDebounced } from "../../lib/use-debounced.ts";
import { nameKinds, nameState, nameAll } from "../../labels/entities.ts";
import { project as strings } from "../../strings/project/page.ts";

const rowPx = 44;
const sorts = ["updated", "priority", "due", "title"] as const;

/** All entities of one kind. */
export const KindList = ({ kind }: { readonly kind: string }) => {
  const { projectId } = useProject();
  const now = useNow();
  const [query, setQuery] = useState("");
  const [state, setState] = useState("open");
  const [sort, setSort] = useState<(typeof sorts)[number]>("updated");
  const q = useDebounced(query.trim());
  const states = findKind(kind)?.states ?? [];
  const fits = useMemo(() => {
    const hasState = (line: EntityLine) =>
      state === "any" || (state === "open" ? !isEnded(kind, line.state) : line.state === state);
    return (line: EntityLine) => line.kind === kind && hasState(line);
  }, [kind, state]);
  const choices = ["open", "any", ...states.filter((one) => one !== "open")];
  const entities = useEntities(
    {
      kind,
      sort,
      limit: 200,
      ...(q === "" ? {} : { q }),
      ...(state === "open" ? { open: "true" as const } : state === "any" ? {} : { state }),
    },
    fits,
  );
  return (
    <div className="mx-auto flex min-h-0 w-full max-w-3xl flex-1 flex-col px-4 sm:px-8">
      <header className="flex flex-none flex-wrap items-center gap-2 pb-2">
        <h2 className="me-auto font-serif text-xl tracking-tight">
          {capital(nameKinds(kind))}{" "}
          <span className="font-sans text-sm text-soft tabular-nums">{groupDigits(entities.total)}</span>
        </h2>
        <input
          type="search"
          dir="auto"
          aria-label={strings.list.filterLabel}
          placeholder={strings.list.filter}
          value={query}
          maxLength={200}
          onChange={(event) => setQuery(event.target.value)}
          className="h-9 w-40 rounded-xl bg-hover px-3 text-sm placeholder:text-soft pointer-coarse:h-11"
        />
        <Select
          label={strings.list.state}
          value={state}
          choices={choices}
          words={{ ...nameAll(choices, nameState), ...strings.list.states }}
          onChoose={setState}
        />
        <Select label={strings.list.sort} value={sort} choices={sorts} words={strings.list.sorts} onChoose={setSort} />
      </header>
      <QuickAdd kind={kind} className="flex-none" />
      {entities.phase === "loading" && <Waiting />}
      {entities.phase === "failed" && <Failed text={entities.text} onRetry={entities.reload} />}
      {entities.phase === "ready" && entities.lines.length === 0 && (
        <Quiet>{strings.list.empty(nameKinds(kind))}</Quiet>
      )}
      <Rows projectId={projectId} lines={entities.lines} now={now} hasMore={entities.hasMore} onMore={entities.more} />
    </div>
  );
};

type RowsProps = {
  readonly projectId: string;
  readonly lines: readonly EntityLine[];
  readonly now: number;
  readonly hasMore: boolean;
  readonly onMore: () => void;
};

const Rows = ({ projectId, lines, now, hasMore, onMore }: RowsProps) => {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => lines[index]?.id ?? index,
    estimateSize: () => rowPx,
    overscan: 10,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= lines.length - 20) onMore();
  }, [hasMore, last, lines.length, onMore]);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-6" onKeyDown={moveAmongRows}>
      <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, key, start }) => {
          const line = lines[index];
          return line ? (
            <li
              key={key}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)`, height: rowPx }}
            >
              <EntityLink projectId={projectId} entity={line} isDone={isEnded(line.kind, line.state)}>
                <PriorityMark priority={line.priority} />
                <DueMark entity={line} now={now} />
                <StateMark kind={line.kind} state={line.state} />
              </EntityLink>
            </li>
          ) : null;
        })}
      </ul>
    </div>
  );
};
