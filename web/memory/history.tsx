import { ArrowRight, Undo2 } from "lucide-react";
import type { MemoryChange } from "../../protocol/memory.ts";
import { fieldWords } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { toMoment } from "../lib/time.ts";
import { describeExtra } from "./extra.tsx";
import { SourceLink } from "./source-link.tsx";
import { actions } from "../strings/actions.ts";
import { memory as strings } from "../strings/memory.ts";

type Props = { readonly changes: readonly MemoryChange[]; readonly onChanged: () => void };

/** All memory changes, newest first, with undo where possible. */
export const History = ({ changes, onChanged }: Props) =>
  changes.length === 0 ? null : (
    <Disclosure label={strings.history.titleWithCount(changes.length)} className="mt-4">
      <ul aria-label={strings.history.title} className="mt-1 grid gap-1">
        {changes.map((change) => (
          <Change key={change.id} change={change} onChanged={onChanged} />
        ))}
      </ul>
    </Disclosure>
  );

const Change = ({ change, onChanged }: { readonly change: MemoryChange; readonly onChanged: () => void }) => {
  const { client } = usePage();
  const { id, field, before, after, reason, undone, undoable, createdAt } = change;
  const describe = (value: string) => (field === "extra" ? describeExtra(value) : value);
  return (
    <li className="grid gap-1 rounded-xl bg-raised px-4 py-2.5 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-soft">{fieldWords[field]}</span>
        <span
          dir="auto"
          className={`inline-flex min-w-0 flex-wrap items-center gap-x-1.5 wrap-anywhere ${undone ? "text-soft line-through" : ""}`}
        >
          {before !== "" && (
            <>
              <span className="min-w-0 text-soft">{describe(before)}</span>
              <ArrowRight
                aria-label={strings.history.changedTo}
                className="size-3.5 flex-none text-soft rtl:-scale-x-100"
              />
            </>
          )}
          <span className="min-w-0">
            {after === "" ? <i className="text-soft">{strings.history.forgotten}</i> : describe(after)}
          </span>
        </span>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 text-xs text-soft">
          {toMoment(createdAt)} · <SourceLink threadId={change.threadId} messageId={change.messageId} />
          {reason !== "" && <> · {reason}</>}
          {undone && <> · {strings.history.undone}</>}
        </p>
        {undoable && !undone && (
          <ActButton
            label={strings.history.undoFor(fieldWords[field].toLowerCase())}
            act={(inputId) => client.undoMemory({ params: {}, body: { id: inputId, changeId: id } })}
            onDone={onChanged}
          >
            <Undo2 aria-hidden="true" className="size-3.5" />
            {actions.undo}
          </ActButton>
        )}
      </div>
    </li>
  );
};
