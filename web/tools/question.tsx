import { MessageCircleQuestion } from "lucide-react";
import { useId, useRef, useState } from "react";
import { checkAnswers, findQuestion, type Answers, type Question } from "../../protocol/question.ts";
import { toPageText } from "../labels/notices.ts";
import { toQuestionFormId, type ToolPart } from "../labels/tools.ts";
import { useFacts } from "../sources/message-facts.ts";
import { usePage } from "../state/page.ts";
import { useFormDraft } from "../state/use-form-draft.ts";
import { toolCards } from "../strings/tool-cards.ts";
import { Approval } from "./approval.tsx";
import { DecisionButton, DecisionState, useDecision } from "./decision.tsx";
import { emptyEntry, QuestionField, toValue, type Entry } from "./question-field.tsx";

const strings = toolCards.question;

type Entries = Readonly<Record<string, Entry>>;

type Props = {
  readonly part: ToolPart;
  /** The call as the model made it, which may be a call through another tool. */
  readonly asked: ToolPart;
};

/** A question of the model or of an MCP server that waits for the user. One that cannot be read is asked as an approval. */
const WaitingQuestion = ({ part, asked }: Props) => {
  const question = findQuestion(asked);
  return question ? <QuestionForm part={part} question={question} /> : <Approval part={part} />;
};

export default WaitingQuestion;

/** One question or a small form. The input survives a reload. */
const QuestionForm = ({ part, question }: { readonly part: ToolPart; readonly question: Question }) => {
  const { client } = usePage();
  const threadId = useFacts()?.threadId;
  const { state, isSent, decide } = useDecision();
  const [draft, setDraft] = useFormDraft<Entries>(`question.${part.id}`);
  const [isChecked, setChecked] = useState(false);
  const titleId = useId();
  const formRef = useRef<HTMLFormElement>(null);
  const answers = toAnswers(question, draft ?? {});
  const faults = new Map(isChecked ? checkAnswers(question, answers).map(({ field, text }) => [field, text]) : []);

  const submit = async (given: Answers | null) => {
    if (!threadId) return;
    const answered = await decide(JSON.stringify(given), (id) =>
      client.answerQuestion({ params: { threadId }, body: { id, partId: part.id, answers: given as never } }),
    );
    if (answered) setDraft(null);
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
      id={toQuestionFormId(part.id)}
      data-question=""
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
          <p className="text-xs text-soft">
            {part.asks?.round === undefined ? strings.heading : strings.headingOf(part.asks.text)}
          </p>
          <p id={titleId} dir="auto" className="font-medium whitespace-pre-wrap wrap-anywhere">
            {question.text}
          </p>
          {part.asks?.text && (
            <p dir="auto" className="mt-1 text-sm text-soft wrap-anywhere">
              {part.asks.round === undefined ? `${toPageText(part.asks)} ${strings.careful}` : strings.carefulOf}
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
        <DecisionButton type="submit" disabled={isSent} className="strong-button">
          {strings.send}
        </DecisionButton>
        <DecisionButton disabled={isSent} onClick={() => void submit(null)}>
          {strings.skip}
        </DecisionButton>
      </div>
      <DecisionState state={state} sending={strings.sending} sent={strings.sent} />
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
