import { z } from "zod";
import { questionLimits, type Answers, type AnswerValue, type QuestionInput } from "../../../../protocol/question.ts";
import { removeInvisible } from "../clean-text.ts";
import type { JsonObject } from "../definition.ts";

/** A result by which a server asks the user something before it continues a call. `held`: see `calls.ts`. */
export type InputRequest = {
  readonly requests: JsonObject;
  readonly requestState?: string | undefined;
  readonly held?: string | undefined;
};

/** Stored while the question waits for the user. */
export type ElicitationState = Omit<InputRequest, "requests"> & {
  /** Where each answer belongs: the request, its property, and the values of options by their titles. */
  readonly fields: readonly {
    readonly name: string;
    readonly key: string;
    readonly property: string;
    readonly values: Readonly<Record<string, string>>;
    /** Value of a field that the user leaves empty. */
    readonly initial?: ElicitedValue | undefined;
  }[];
  readonly keys: readonly string[];
};

/** The user's answers in the form of the protocol. */
export type ElicitationAnswer = Pick<InputRequest, "requestState" | "held"> & {
  readonly responses: Readonly<Record<string, ElicitResponse>>;
};
type ElicitedValue = string | number | boolean | string[];
export type ElicitResponse = {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, ElicitedValue>;
};

const Asked = z.object({
  resultType: z.literal("input_required"),
  inputRequests: z.record(z.string(), z.unknown()).default({}),
  requestState: z.string().max(100_000).optional(),
  held: z.string().optional(),
});

/** undefined: the result is complete. */
export function findInputRequest(result: unknown): InputRequest | undefined {
  const { data } = Asked.safeParse(result);
  return data && { requests: data.inputRequests, requestState: data.requestState, held: data.held };
}

const object = z.record(z.string(), z.unknown());
const Form = z.object({
  method: z.literal("elicitation/create"),
  params: z.object({
    mode: z.literal("form").optional(),
    message: z.string().catch(""),
    requestedSchema: z.object({ properties: object.catch({}), required: z.array(z.string()).catch([]) }),
  }),
});

type Asking = { readonly question: QuestionInput; readonly state: ElicitationState };
type Field = NonNullable<QuestionInput["fields"]>[number];

/** All forms of a request as one question to the user. Throws if it asks for something that cannot be shown as a form. */
export function toQuestion({ requests, requestState, held }: InputRequest): Asking {
  const forms = Object.entries(requests).map(([key, request]) => {
    const form = Form.safeParse(request).data;
    if (!form) throw new Error("It asks for something that is not supported here: only forms are.");
    return { key, ...form.params };
  });
  const fields: Field[] = [];
  const places: ElicitationState["fields"][number][] = [];
  for (const { key, requestedSchema } of forms)
    for (const [property, schema] of Object.entries(requestedSchema.properties)) {
      const name = `field_${fields.length + 1}`;
      const { values, initial, ...field } = toField(property, schema);
      fields.push({ name, ...field, required: requestedSchema.required.includes(property) });
      places.push({ name, key, property, values, initial });
    }
  if (fields.length > MAX_FIELDS) throw new Error(`It asks for more than ${MAX_FIELDS} values.`);
  // A form without fields asks for consent.
  const consent: readonly Field[] = [{ name: CONSENT, label: "Continue?", type: "yes_no", required: true }];
  const text = shorten(forms.map(({ message }) => message).join("\n"), questionLimits.questionCharacters);
  return {
    question: { question: text || "It needs some values.", fields: fields.length === 0 ? consent : fields },
    state: { fields: places, keys: forms.map(({ key }) => key), requestState, held },
  };
}

/** More than a model may ask for: a server's form is written by people. */
const MAX_FIELDS = 30;
const CONSENT = "consent";

/** Skipped questions, and consent that was not given, are declined. */
export function toAnswer(state: ElicitationState, answers: Answers | null): ElicitationAnswer {
  const { fields, keys, requestState, held } = state;
  const isDeclined = answers === null || answers[CONSENT] === false;
  const toContent = (key: string) =>
    Object.fromEntries(
      fields.flatMap(({ name, key: of, property, values, initial }) => {
        if (of !== key) return [];
        const given = answers?.[name];
        const value = given === undefined ? initial : toValue(given, values);
        return value === undefined ? [] : [[property, value] as const];
      }),
    );
  const responses = Object.fromEntries(
    keys.map((key): [string, ElicitResponse] => [
      key,
      isDeclined ? { action: "decline" } : { action: "accept", content: toContent(key) },
    ]),
  );
  return { responses, requestState, held };
}

function toValue(value: AnswerValue, values: Readonly<Record<string, string>>): ElicitedValue {
  const named = (text: string): string => (Object.hasOwn(values, text) ? (values[text] ?? text) : text);
  if (typeof value === "string") return named(value);
  return typeof value === "object" ? value.map(named) : value;
}

const Choice = z.object({ const: z.string(), title: z.string().optional() });
const Property = z.object({
  type: z.string().catch("string"),
  title: z.string().catch("").default(""),
  description: z.string().catch("").default(""),
  format: z.string().optional().catch(undefined),
  default: z
    .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
    .optional()
    .catch(undefined),
  enum: z.array(z.string()).optional().catch(undefined),
  enumNames: z.array(z.string()).optional().catch(undefined),
  oneOf: z.array(Choice).optional().catch(undefined),
  items: z
    .object({ enum: z.array(z.string()).optional(), anyOf: z.array(Choice).optional() })
    .optional()
    .catch(undefined),
});

type FieldForm = Pick<Field, "label" | "type" | "options"> & {
  readonly values: Readonly<Record<string, string>>;
  readonly initial: ElicitedValue | undefined;
};

function toField(property: string, schema: unknown): FieldForm {
  const read = Property.catch({ type: "string", title: "", description: "" }).parse(schema);
  const label = shorten(
    [read.title || property, read.description, describeDefault(read.default)].filter(Boolean).join(": "),
    questionLimits.labelCharacters,
  );
  const choices = listChoices(read);
  if (choices.length > 0 && choices.length <= questionLimits.options) {
    const type = read.type === "array" ? "choices" : "choice";
    return {
      label,
      type,
      options: choices.map(([title]) => title),
      values: Object.fromEntries(choices),
      initial: read.default,
    };
  }
  if (read.type === "boolean") return { label, type: "yes_no", values: {}, initial: read.default };
  if (read.type === "number" || read.type === "integer")
    return { label, type: "number", values: {}, initial: read.default };
  return { label, type: read.format === "date" ? "date" : "text", values: {}, initial: read.default };
}

const describeDefault = (value: ElicitedValue | undefined): string =>
  value === undefined ? "" : `default ${String(value).slice(0, 60)}`;

/** Titles with their values. */
function listChoices({
  enum: plain,
  enumNames,
  oneOf,
  items,
}: z.infer<typeof Property>): readonly (readonly [string, string])[] {
  const titled = oneOf ?? items?.anyOf;
  const pairs = titled
    ? titled.map(({ const: value, title }) => [title ?? value, value] as const)
    : (plain ?? items?.enum ?? []).map((value, index) => [enumNames?.[index] ?? value, value] as const);
  return pairs.map(([title, value]) => [shorten(title, questionLimits.labelCharacters) || value, value] as const);
}

const shorten = (text: string, most: number): string => removeInvisible(text).slice(0, most).toWellFormed();
