import type { PartOf } from "./parts.ts";

/**
 * A question of the model to the user in the middle of a run: one question, or a small form. This file must not import zod,
 * because the page bundles it.
 */
export const ASK_USER = "ask_user";

/** `asks.code` of a tool part that waits for the user's answer instead of an approval. */
export const QUESTION = "question";

export const questionLimits = {
  fields: 8,
  options: 12,
  questionCharacters: 2000,
  labelCharacters: 200,
  nameCharacters: 60,
  /** Maximum length of one answer. */
  answerCharacters: 4000,
} as const;

export const fieldTypes = ["text", "number", "choice", "choices", "date", "yes_no"] as const;
export type FieldType = (typeof fieldTypes)[number];

export type QuestionField = {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly options: readonly string[];
  readonly required: boolean;
};

export type Question = {
  readonly text: string;
  /** One question without a form around it. Its field is named `answer`. */
  readonly isSingle: boolean;
  readonly fields: readonly QuestionField[];
};

/** `choices` have a list; `choice` and `choices` also accept the user's own text. */
export type AnswerValue = string | number | boolean | readonly string[];
export type Answers = Readonly<Record<string, AnswerValue>>;

/** Result of the tool call. */
export type QuestionOutput = { readonly answers: Answers } | { readonly skipped: true };

/** Arguments of the tool call, as its schema accepts them. */
export type QuestionInput = {
  readonly question: string;
  readonly options?: readonly string[] | undefined;
  readonly fields?:
    | readonly {
        readonly name: string;
        readonly label: string;
        readonly type: FieldType;
        readonly options?: readonly string[] | undefined;
        readonly required?: boolean | undefined;
      }[]
    | undefined;
};

export function toQuestion({ question: text, options, fields }: QuestionInput): Question {
  if (fields && fields.length > 0) {
    const full = fields.map((field) => ({ ...field, options: field.options ?? [], required: field.required ?? false }));
    return { text, isSingle: false, fields: full };
  }
  const type = options && options.length > 0 ? "choice" : "text";
  return {
    text,
    isSingle: true,
    fields: [{ name: "answer", label: text, type, options: options ?? [], required: true }],
  };
}

/** The question of a tool part that waits for an answer or has one; undefined for other parts. */
export function findQuestion({ name, input, asks }: PartOf<"tool">): Question | undefined {
  const inner = input as { readonly name?: unknown; readonly input?: unknown } | undefined;
  const isWrapped = name === "use_tool" && inner?.name === ASK_USER;
  if (name !== ASK_USER && !isWrapped && asks?.code !== QUESTION) return undefined;
  const given = (asks?.question ?? (name === "use_tool" ? inner?.input : input)) as
    | Partial<QuestionInput>
    | null
    | undefined;
  return typeof given?.question === "string" ? toQuestion({ ...given, question: given.question }) : undefined;
}

/** Key of the user's decision about a waiting tool call. A call may ask several times. */
export const toDecisionKey = ({ id, asks }: Pick<PartOf<"tool">, "id" | "asks">): string =>
  asks?.round === undefined ? id : `${id}#${asks.round}`;

export type AnswerFault = { readonly field: string; readonly text: string };

/** Checks answers against their question. Used by the page before sending and by the server on arrival. */
export function checkAnswers({ fields }: Question, answers: Answers): readonly AnswerFault[] {
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(answers).filter((name) => !known.has(name));
  const faults = fields.flatMap((field): AnswerFault[] => {
    const value = Object.hasOwn(answers, field.name) ? answers[field.name] : undefined;
    const text =
      value === undefined ? (field.required ? "An answer is required." : undefined) : checkValue(field, value);
    return text === undefined ? [] : [{ field: field.name, text }];
  });
  const isEmpty = faults.length === 0 && Object.keys(answers).length === 0;
  return [
    ...unknown.map((field) => ({ field, text: "The question has no such field." })),
    ...faults,
    ...(isEmpty ? [{ field: fields[0]?.name ?? "", text: "Answer at least one field, or skip the question." }] : []),
  ];
}

function checkValue({ type }: QuestionField, value: AnswerValue): string | undefined {
  switch (type) {
    case "text":
    case "choice":
      return isText(value) ? undefined : TEXT;
    case "choices":
      return isTextList(value) ? undefined : `Choose at least one and at most ${questionLimits.options + 1}.`;
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? undefined : "Enter a number.";
    case "date":
      return isDate(value) ? undefined : "Enter a date as YYYY-MM-DD.";
    case "yes_no":
      return typeof value === "boolean" ? undefined : "Answer yes or no.";
  }
}

const TEXT = `Enter 1 to ${questionLimits.answerCharacters} characters.`;

const isText = (value: unknown): boolean =>
  typeof value === "string" && value.trim() !== "" && value.length <= questionLimits.answerCharacters;

const isTextList = (value: AnswerValue): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= questionLimits.options + 1 &&
  value.every(isText) &&
  new Set(value).size === value.length;

function isDate(value: AnswerValue): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const at = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value);
}

/** A typed text as the answer to a single question; null for a form, or if the question does not take this text. */
export function toTypedAnswer(question: Question, text: string): Answers | null {
  const [field] = question.fields;
  if (!field || question.fields.length > 1) return null;
  const typed = text.trim();
  const option = field.options.find((one) => one.toLowerCase() === typed.toLowerCase()) ?? typed;
  const value = field.type === "number" && typed !== "" ? Number(typed) : field.type === "choices" ? [option] : option;
  const answers = { [field.name]: value };
  return checkAnswers(question, answers).length === 0 ? answers : null;
}

/** The texts that the user typed, without the options, which the model wrote. */
export function listTyped(part: PartOf<"tool">): readonly string[] {
  const question = part.state === "ok" ? findQuestion(part) : undefined;
  const { answers = {} } = (part.output ?? {}) as { readonly answers?: Answers };
  return (question?.fields ?? []).flatMap(({ name, options }) => {
    const value = Object.hasOwn(answers, name) ? answers[name] : undefined;
    const texts = typeof value === "string" ? [value] : Array.isArray(value) ? (value as readonly string[]) : [];
    return texts.filter((text) => !options.includes(text));
  });
}
