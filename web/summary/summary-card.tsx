import { LoaderCircle, Pencil, Undo2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { SummaryView, SummaryFields } from "../../protocol/context/summary.ts";
import { createId } from "../lib/ids.ts";
import { summaryWords } from "../labels/context.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { ActButton } from "../ui/act-button.tsx";
import { toMoment } from "../lib/time.ts";
import { describePrice, describeSaving, toRange, type EditedFields } from "./describe-summary.ts";
import { SummaryForm } from "./summary-form.tsx";
import { toTitle } from "../labels/tools.ts";

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
    <article aria-label={`Summary: ${toRange(summary)}`} className="grid gap-3 rounded-2xl bg-raised px-4 py-3.5">
      <header className="flex flex-wrap items-center gap-2 text-xs text-soft">
        <span className="text-sm font-medium text-ink">{toRange(summary)}</span>
        <State summary={summary} />
      </header>
      {summary.error && <Trouble error={summary.error} />}
      {summary.status === "partial" && (
        <p className="text-xs text-soft">Made without a model, of sentences that stand in the thread.</p>
      )}
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
            Edit
          </button>
          {summary.edited && (
            <ActButton act={(id) => client.undoSummary({ params, body: { id } })} onDone={onChanged}>
              <Undo2 aria-hidden="true" className="size-3.5" />
              Undo the edit
            </ActButton>
          )}
        </footer>
      )}
      <Facts summary={summary} />
    </article>
  );
};

const State = ({ summary: { status, trigger, edited } }: { readonly summary: SummaryView }) => (
  <>
    <span
      role="status"
      className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 ${status === "failed" ? "bg-danger-wash text-ink" : status === "completed" ? "bg-hover" : "bg-warn-wash text-ink"}`}
    >
      {status === "generating" && <LoaderCircle aria-hidden="true" className="size-3 animate-spin" />}
      {summaryWords[status]}
    </span>
    <span>{trigger === "manual" ? "asked for" : "by itself"}</span>
    {edited && <span>edited by you</span>}
  </>
);

const Trouble = ({ error }: { readonly error: NonNullable<SummaryView["error"]> }) => (
  <p role="note" className="rounded-xl bg-danger-wash px-3 py-2 text-sm wrap-anywhere">
    {error.message}
    <span className="block text-xs text-soft">
      {error.fallbackAttempts} {error.fallbackAttempts === 1 ? "model was" : "models were"} tried, last{" "}
      {error.lastAttemptModel}
    </span>
  </p>
);

const Facts = ({ summary }: { readonly summary: SummaryView }) => (
  <p className="text-xs text-pretty text-soft">
    {[
      toMoment(summary.createdAt),
      ...(summary.fields ? [describeSaving(summary)] : []),
      describePrice(summary),
      ...(summary.model === null ? [] : [summary.model]),
      ...(summary.tainted ? ["holds words that others wrote"] : []),
    ].join(" · ")}
  </p>
);

/** The non-empty fields of a summary. */
const SummaryFieldsView = ({ fields }: { readonly fields: SummaryFields }) => (
  <div className="grid gap-4 text-sm leading-relaxed">
    <p dir="auto" className="text-base text-pretty wrap-anywhere">
      {fields.overview}
    </p>
    <Lines title="Key points" lines={fields.keyPoints} />
    <Lines title="Decisions" lines={fields.decisions} />
    <Lines
      title="Action items"
      lines={fields.actionItems.map(({ text, context }, index) => (
        <span key={index}>
          {text}
          {context !== "" && <span className="block text-soft">{context}</span>}
        </span>
      ))}
    />
    <Lines title="Open questions" lines={fields.openQuestions} />
    <Lines
      title="From tools"
      lines={fields.toolResults.map(({ toolName, summary, importance }, index) => (
        <span key={index}>
          <span className="text-soft">{toTitle(toolName)}: </span>
          {summary}
          {importance === "high" && (
            <span className="ms-2 rounded-full bg-accent-wash px-2 py-0.5 text-xs text-accent-strong">important</span>
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
