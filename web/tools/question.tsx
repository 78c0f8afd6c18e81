import { MessageCircleQuestion } from "lucide-react";
import { useId, useRef, useState } from "react";
import { checkAnswers, type Answers, type Question } from "../../protocol/question.ts";
import type { ToolPart } from "../labels/tools.ts";
import { createId } from "../lib/ids.ts";
import { useRequest } from "../lib/use-request.ts";
import { useFacts } from "../sources/message-facts.ts";
import { usePage } from "../state/page.ts";
import { useFormDraft } from "../state/use-form-draft.ts";
import { toolCards } from "../strings/tool-cards.ts";
import { emptyEntry, QuestionField, toValue, type Entry } from "./question-field.tsx";

const strings = toolCards.question;

type Entries = Readonly<Record<string, Entry>>;

/** A question of the model that waits for the user: one question or a small form. The input survives a reload. */
export const QuestionForm = ({ part, question }: { readonly part: ToolPart; readonly question: Question }) => {
  const { client } = usePage();
  const threadId = useFacts()?.threadId;
  const { state, send } = useRequest();
  const [draft, setDraft] = useFormDraft<Entries>(`question.${part.id}`);
  const [isChecked, setChecked] = useState(false);
  const titleId = useId();
  const formRef = useRef<HTMLFormElement>(null);
  // A retry reuses the id, so that an answer cannot count twice.
  const last = useRef<{ readonly key: string; readonly id: string } | null>(null);
  const isSent = state.name === "sending" || state.name === "done";
  const answers = toAnswers(question, draft ?? {});
  const faults = new Map(isChecked ? checkAnswers(question, answers).map(({ field, text }) => [field, text]) : []);

  const submit = async (given: Answers | null) => {
    if (!threadId || isSent) return;
    const key = JSON.stringify(given);
    if (last.current?.key !== key) last.current = { key, id: createId() };
    const body = { id: last.current.id, partId: part.id, answers: given as never };
    if (await send(() => client.answerQuestion({ params: { threadId }, body }))) setDraft(null);
  };
  const check = () => {
    setChecked(true);
    const [fault] = checkAnswers(question, answers);
    if (!fault) return void submit(answers);
    const index = question.fields.findIndex(({ name }) => name === fault.field);
    const field = formRef.current?.querySelectorAll("[data-field]")[index];
    field?.querySelector<HTMLElement>("input, textarea")?.focus();
  };
  return (
    <form
      ref={formRef}
      aria-labelledby={titleId}
      noValidate
      className="m-1.5 grid gap-3 rounded-xl bg-raised p-3 shadow-float [&>*]:min-w-0"
      onSubmit={(event) => {
        event.preventDefault();
        check();
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
      }}
    >
      <div className="flex items-start gap-2">
        <MessageCircleQuestion aria-hidden="true" className="mt-0.5 size-5 flex-none text-accent" />
        <div className="min-w-0">
          <p className="text-xs text-soft">{strings.heading}</p>
          <p id={titleId} dir="auto" className="font-medium whitespace-pre-wrap wrap-anywhere">
            {question.text}
          </p>
          {part.asks?.text && (
            <p dir="auto" className="mt-1 text-sm text-soft wrap-anywhere">
              {part.asks.text} {strings.careful}
            </p>
          )}
        </div>
      </div>
      {question.fields.map((field) => (
        <QuestionField
          key={field.name}
          field={field}
          labelledBy={question.isSingle ? titleId : null}
          entry={draft?.[field.name] ?? emptyEntry}
          fault={faults.get(field.name) ?? null}
          disabled={isSent}
          onChange={(entry) => setDraft({ ...draft, [field.name]: entry })}
        />
      ))}
      <div className="flex flex-wrap items-center gap-2">
        <button type="submit" disabled={isSent} className="plain-button strong-button pointer-coarse:min-h-11">
          {strings.send}
        </button>
        <button
          type="button"
          disabled={isSent}
          className="plain-button pointer-coarse:min-h-11"
          onClick={() => void submit(null)}
        >
          {strings.skip}
        </button>
      </div>
      <p role="status" className="text-xs text-soft empty:hidden">
        {state.name === "sending" ? strings.sending : state.name === "done" ? strings.sent : ""}
      </p>
      {state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
    </form>
  );
};

/** Fields without input are left out. */
const toAnswers = ({ fields }: Question, entries: Entries): Answers =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = toValue(field, entries[field.name] ?? emptyEntry);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
