import { LoaderCircle, Pencil, Undo2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { SummaryView, SummaryFields } from "../../protocol/context/summary.ts";
import { createId } from "../lib/ids.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { ActButton } from "../ui/act-button.tsx";
import { toMoment } from "../lib/time.ts";
import { describePrice, describeSaving, toRange, type EditedFields } from "./describe-summary.ts";
import { SummaryForm } from "./summary-form.tsx";
import { toTitle } from "../labels/tools.ts";
import { actions } from "../strings/actions.ts";
import { summary as strings } from "../strings/summary.ts";

type Props = { readonly threadId: string; readonly summary: SummaryView; readonly onChanged: () => void };

/** One summary in any state, with its cost and an edit form. */
export const SummaryCard = ({ threadId, summary, onChanged }: Props) => {
  const { client } = usePage();
  const [isEditing, setEditing] = useState(false);
  const { state, send } = useRequest();
  const params = { threadId, summaryId: summary.id };
  const save = async (fields: EditedFields) => {
    const body = { id: createId(), fields };
    if (!(await send(() => client.editSummary({ params, body })))) return;
    setEditing(false);
    onChanged();
  };
  return (
    <article aria-label={strings.card.label(toRange(summary))} className="grid gap-3 rounded-2xl bg-raised px-4 py-3.5">
      <header className="flex flex-wrap items-center gap-2 text-xs text-soft">
        <span className="text-sm font-medium text-ink">{toRange(summary)}</span>
        <SummaryState summary={summary} />
      </header>
      {summary.error && <SummaryError error={summary.error} />}
      {summary.status === "partial" && <p className="text-xs text-soft">{strings.card.withoutModel}</p>}
      {summary.fields &&
        (isEditing ? (
          <SummaryForm
            fields={summary.fields}
            state={state}
            onSave={(fields) => void save(fields)}
            onCancel={() => setEditing(false)}
          />
        ) : (
          <SummaryFieldsView fields={summary.fields} />
        ))}
      {summary.fields && !isEditing && (
        <footer className="flex flex-wrap items-center gap-2">
          <button
            type="button"
            className="plain-button min-h-8 pointer-coarse:min-h-10"
            onClick={() => setEditing(true)}
          >
            <Pencil aria-hidden="true" className="size-3.5" />
            {actions.edit}
          </button>
          {summary.edited && (
            <ActButton act={(id) => client.undoSummary({ params, body: { id } })} onDone={onChanged}>
              <Undo2 aria-hidden="true" className="size-3.5" />
              {strings.card.undoEdit}
            </ActButton>
          )}
        </footer>
      )}
      <SummaryFacts summary={summary} />
    </article>
  );
};

const SummaryState = ({ summary: { status, trigger, edited } }: { readonly summary: SummaryView }) => (
  <>
    <span
      role="status"
      className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 ${status === "failed" ? "bg-danger-wash text-ink" : status === "completed" ? "bg-hover" : "bg-warn-wash text-ink"}`}
    >
      {status === "generating" && <LoaderCircle aria-hidden="true" className="size-3 animate-spin" />}
      {strings.states[status]}
    </span>
    <span>{trigger === "manual" ? strings.card.requested : strings.card.automatic}</span>
    {edited && <span>{strings.card.edited}</span>}
  </>
);

const SummaryError = ({ error }: { readonly error: NonNullable<SummaryView["error"]> }) => (
  <p role="note" className="rounded-xl bg-danger-wash px-3 py-2 text-sm wrap-anywhere">
    {error.message}
    <span className="block text-xs text-soft">
      {strings.card.tried(error.fallbackAttempts, error.lastAttemptModel)}
    </span>
  </p>
);

const SummaryFacts = ({ summary }: { readonly summary: SummaryView }) => (
  <p className="text-xs text-pretty text-soft">
    {[
      toMoment(summary.createdAt),
      ...(summary.fields ? [describeSaving(summary)] : []),
      describePrice(summary),
      ...(summary.model === null ? [] : [summary.model]),
      ...(summary.tainted ? [strings.card.untrusted] : []),
    ].join(" · ")}
  </p>
);

/** The non-empty fields of a summary. */
const SummaryFieldsView = ({ fields }: { readonly fields: SummaryFields }) => (
  <div className="grid gap-4 text-sm leading-relaxed">
    <p dir="auto" className="text-base text-pretty wrap-anywhere">
      {fields.overview}
    </p>
    <Lines title={strings.fields.keyPoints} lines={fields.keyPoints} />
    <Lines title={strings.fields.decisions} lines={fields.decisions} />
    <Lines
      title={strings.fields.actionItems}
      lines={fields.actionItems.map(({ text, context }, index) => (
        <span key={index}>
          {text}
          {context !== "" && <span className="block text-soft">{context}</span>}
        </span>
      ))}
    />
    <Lines title={strings.fields.openQuestions} lines={fields.openQuestions} />
    <Lines
      title={strings.fields.toolResults}
      lines={fields.toolResults.map(({ toolName, summary, importance }, index) => (
        <span key={index}>
          <span className="text-soft">{toTitle(toolName)}: </span>
          {summary}
          {importance === "high" && (
            <span className="ms-2 rounded-full bg-accent-wash px-2 py-0.5 text-xs text-accent-strong">
              {strings.card.important}
            </span>
          )}
        </span>
      ))}
    />
  </div>
);

const Lines = ({ title, lines }: { readonly title: string; readonly lines: readonly ReactNode[] }) =>
  lines.length === 0 ? null : (
    <div>
      <h4 className="mb-1 text-xs font-medium text-soft">{title}</h4>
      <ul className="grid list-disc gap-1 ps-5 marker:text-soft">
        {lines.map((line, index) => (
          <li key={index} dir="auto" className="wrap-anywhere">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
