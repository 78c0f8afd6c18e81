import { ArrowRight, Undo2 } from "lucide-react";
import { useEffect, useRef } from "react";
import { createId } from "../../lib/ids.ts";
import { useSelected } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { useRequest } from "../../lib/use-request.ts";
import { toTitle, type ToolPart } from "../../labels/tools.ts";
import { textAt, listAt } from "../../lib/read-json.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useFacts } from "../../sources/message-facts.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { toolCards as strings } from "../../strings/tool-cards.ts";
import { actions } from "../../strings/actions.ts";

/** Memory changes, shown where they happened, with undo. */
export const MemoryCard = ({ part }: { readonly part: ToolPart }) => {
  const changes = readMemory(part);
  const undoState = useUndoState(changes);
  const note = textAt(part.output, "note");
  return (
    <ToolFrame part={part} {...(note === "" ? {} : { brief: note })}>
      {changes.length > 0 && (
        <ul aria-label={strings.memory.list} className="grid gap-1">
          {changes.map((change) => (
            <Change key={change.changeId || change.field} change={change} known={undoState(change)} />
          ))}
        </ul>
      )}
    </ToolFrame>
  );
};

type UndoState = "undoable" | "undone" | "over";

/** Whether each change can be undone: it may have been undone, replaced or forgotten elsewhere. Undo is offered while that is loading. */
function useUndoState(changes: readonly MemoryChangeView[]): (change: MemoryChangeView) => UndoState {
  const { client, sheet } = usePage();
  const threadId = useFacts()?.threadId;
  const key = changes.length > 0 && threadId ? threadId : null;
  const { state, reload } = useLoad(key, (signal) =>
    client.memoryOfThread({ params: { threadId: key ?? "" } }, signal),
  );
  // Memory can be changed in its sheet.
  const isSheetOpen = useSelected(sheet, (open) => open?.kind === "memory");
  useEffect(() => (isSheetOpen ? reload : undefined), [isSheetOpen, reload]);
  return ({ changeId }) => {
    if (state.phase !== "ready") return "undoable";
    const found = state.value.changes.find(({ id }) => id === changeId);
    return found?.undoable ? "undoable" : found?.undone ? "undone" : "over";
  };
}

type ChangeProps = { readonly change: MemoryChangeView; readonly known: UndoState };

const Change = ({ change: { changeId, field, before, after }, known }: ChangeProps) => {
  const { client } = usePage();
  const { state, send } = useRequest();
  const id = useRef<string>(null);
  const isUndone = state.name === "done" || known === "undone";
  const undo = () => {
    id.current ??= createId();
    const body = { id: id.current, changeId };
    void send(() => client.undoMemory({ params: {}, body }));
  };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-sm">
      <span className="flex-none text-soft">{toTitle(field)}</span>
      <span
        dir="auto"
        className={`inline-flex min-w-0 flex-wrap items-center gap-x-1.5 wrap-anywhere ${isUndone ? "text-soft line-through" : ""}`}
      >
        {before !== "" && (
          <>
            <span className="min-w-0 text-soft">{before}</span>
            <ArrowRight
              aria-label={strings.memory.changedTo}
              className="size-3.5 flex-none text-soft rtl:-scale-x-100"
            />
          </>
        )}
        <span className="min-w-0">
          {after === "" ? <i className="text-soft">{strings.memory.forgotten}</i> : after}
        </span>
      </span>
      {changeId !== "" && (isUndone || known !== "over") && (
        <span className="ms-auto flex-none text-xs text-soft">
          {isUndone ? (
            <span role="status">{strings.memory.undone}</span>
          ) : (
            <button
              type="button"
              aria-label={strings.memory.undoOf(field)}
              disabled={state.name === "sending"}
              className="inline-flex min-h-7 items-center gap-1 rounded-lg px-2 font-medium text-ink hover:bg-hover disabled:opacity-60 pointer-coarse:min-h-10"
              onClick={undo}
            >
              <Undo2 aria-hidden="true" className="size-3.5" />
              {actions.undo}
            </button>
          )}
        </span>
      )}
      {state.name === "failed" && (
        <span role="alert" className="basis-full text-xs text-danger">
          {state.text}
        </span>
      )}
    </li>
  );
};

type MemoryChangeView = {
  readonly changeId: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
};

/** The changed fields. */
const readMemory = ({ output }: ToolPart): readonly MemoryChangeView[] =>
  listAt(output, "changes").flatMap((value) => {
    const field = textAt(value, "field");
    if (field === "") return [];
    return [
      { changeId: textAt(value, "changeId"), field, before: textAt(value, "before"), after: textAt(value, "after") },
    ];
  });
