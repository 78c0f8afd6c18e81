import { findQuestion, type Answers, type AnswerValue } from "../../../protocol/question.ts";
import type { ToolPart } from "../../labels/tools.ts";
import { asRecord } from "../../lib/read-json.ts";
import { toolCards } from "../../strings/tool-cards.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { joinList } from "../../lib/format.ts";

const strings = toolCards.question;

/** A question that was answered, skipped or cancelled. */
export const QuestionCard = ({ part }: { readonly part: ToolPart }) => {
  const question = findQuestion(part);
  const output = asRecord(part.output);
  const answers = asRecord(output["answers"]) as Answers;
  const given = (question?.fields ?? []).filter(({ name }) => Object.hasOwn(answers, name));
  return (
    <ToolFrame part={part} {...(output["skipped"] === true ? { brief: strings.skipped } : {})}>
      {given.length > 0 && (
        <dl aria-label={strings.answers} className="grid gap-1 text-sm">
          {given.map(({ name, label }) => (
            <div key={name} className="min-w-0">
              {question?.isSingle !== true && <dt className="text-xs text-soft wrap-anywhere">{label}</dt>}
              <dd dir="auto" className="whitespace-pre-wrap wrap-anywhere">
                {describe(answers[name])}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </ToolFrame>
  );
};

function describe(value: AnswerValue | undefined): string {
  if (typeof value === "boolean") return value ? strings.yes : strings.no;
  return Array.isArray(value) ? joinList(value) : String(value);
}
