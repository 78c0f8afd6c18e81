import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import type { SummaryFields } from "../../protocol/context/summary.ts";
import { escapeProps } from "../lib/escape.ts";
import type { RequestState } from "../lib/use-request.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { cleanFields, type EditedFields } from "./describe-summary.ts";
import { actions } from "../strings/actions.ts";
import { summary as strings } from "../strings/summary.ts";

type Props = {
  readonly fields: SummaryFields;
  readonly state: RequestState;
  readonly onSave: (fields: EditedFields) => void;
  readonly onCancel: () => void;
};

/** Edit form of a summary. */
export const SummaryForm = ({ fields: initial, state, onSave, onCancel }: Props) => {
  const [fields, setFields] = useState(initial);
  const set = (change: Partial<SummaryFields>) => setFields((before) => ({ ...before, ...change }));
  const overviewId = useId();
  const cleaned = cleanFields(fields);
  return (
    <form
      aria-label={strings.form.label}
      className="grid gap-4"
      {...escapeProps(onCancel)}
      onSubmit={(event) => {
        event.preventDefault();
        if (cleaned.overview !== "") onSave(cleaned);
      }}
    >
      <div className="grid gap-1">
        <label htmlFor={overviewId} className="text-xs font-medium text-soft">
          {strings.fields.overview}
        </label>
        <textarea
          id={overviewId}
          dir="auto"
          rows={3}
          value={fields.overview}
          onChange={(event) => set({ overview: event.target.value })}
          className={`${fieldLook} field-sizing-content min-h-20 resize-none`}
        />
      </div>
      <Lines title={strings.fields.keyPoints} lines={fields.keyPoints} onChange={(keyPoints) => set({ keyPoints })} />
      <Lines title={strings.fields.decisions} lines={fields.decisions} onChange={(decisions) => set({ decisions })} />
      <Lines
        title={strings.fields.actionItems}
        lines={fields.actionItems.map(({ text }) => text)}
        onChange={(lines, removed) => set({ actionItems: mergeLines(fields.actionItems, lines, removed) })}
      />
      <Lines
        title={strings.fields.openQuestions}
        lines={fields.openQuestions}
        onChange={(openQuestions) => set({ openQuestions })}
      />
      {fields.toolResults.length > 0 && (
        <Lines
          title={strings.fields.toolResults}
          isFixed
          lines={fields.toolResults.map(({ summary }) => summary)}
          onChange={(lines, removed) =>
            set({
              toolResults: fields.toolResults
                .filter((_, index) => index !== removed)
                .map((result, index) => ({ ...result, summary: lines[index] ?? "" })),
            })
          }
        />
      )}
      {state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <button type="button" className="plain-button" onClick={onCancel}>
          {actions.cancel}
        </button>
        <button
          type="submit"
          className="plain-button strong-button"
          disabled={cleaned.overview === "" || state.name === "sending"}
        >
          {actions.save}
        </button>
      </div>
    </form>
  );
};

/** An item keeps its context while its text is edited. */
const mergeLines = (
  items: SummaryFields["actionItems"],
  lines: readonly string[],
  removed: number | null,
): SummaryFields["actionItems"] => {
  const rest = items.filter((_, index) => index !== removed);
  return lines.map((text, index) => ({ text, context: rest[index]?.context ?? "" }));
};

type LinesProps = {
  readonly title: string;
  readonly lines: readonly string[];
  /** Lines can be edited and removed, but not added. */
  readonly isFixed?: boolean;
  readonly onChange: (lines: readonly string[], removed: number | null) => void;
};

const Lines = ({ title, lines, isFixed = false, onChange }: LinesProps) => (
  <fieldset className="grid gap-1">
    <legend className="mb-1 text-xs font-medium text-soft">{title}</legend>
    {lines.map((line, index) => (
      <div key={index} className="flex items-start gap-1">
        <textarea
          dir="auto"
          rows={1}
          aria-label={strings.form.line(title, index + 1)}
          value={line}
          onChange={(event) => onChange(lines.with(index, event.target.value), null)}
          className={`${fieldLook} field-sizing-content resize-none`}
        />
        <IconButton
          label={strings.form.removeLine(title.toLowerCase(), line.slice(0, 40))}
          hint={actions.remove}
          className="mt-0.5"
          onClick={() => onChange(lines.toSpliced(index, 1), index)}
        >
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
    ))}
    {!isFixed && (
      <button
        type="button"
        className="plain-button min-h-8 justify-self-start bg-transparent px-2 text-xs text-soft pointer-coarse:min-h-10"
        onClick={() => onChange([...lines, ""], null)}
      >
        <Plus aria-hidden="true" className="size-3.5" />
        {strings.form.addLine(title.toLowerCase())}
      </button>
    )}
  </fieldset>
);

const fieldLook = "w-full rounded-xl bg-sunk px-3 py-2 text-sm leading-relaxed pointer-coarse:text-base";
