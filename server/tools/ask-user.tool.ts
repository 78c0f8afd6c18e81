import { z } from "zod";
import { ASK_USER, fieldTypes, questionLimits, type Answers, type QuestionOutput } from "../../protocol/question.ts";
import { defineTool, type CreateTool } from "./tool.ts";

const Line = z.string().trim().min(1).max(questionLimits.labelCharacters);
const Options = z
  .array(Line)
  .min(2)
  .max(questionLimits.options)
  .refine((list) => new Set(list).size === list.length, "Options must be different.");

const FormField = z
  .object({
    name: z.string().trim().min(1).max(questionLimits.nameCharacters).describe("Key of the answer"),
    label: Line,
    type: z.enum(fieldTypes),
    options: Options.optional().describe("For choice and choices"),
    required: z.boolean().optional(),
  })
  .refine(({ type, options }) => (type === "choice" || type === "choices") === (options !== undefined), {
    message: "Fields of type choice and choices need options; other fields have none.",
  });

const Input = z
  .object({
    question: z.string().trim().min(1).max(questionLimits.questionCharacters),
    options: Options.optional().describe("Suggested answers to the one question"),
    fields: z
      .array(FormField)
      .min(1)
      .max(questionLimits.fields)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, "Names must be different.")
      .optional()
      .describe("A form, if one answer is not enough"),
  })
  .refine(({ options, fields }) => !options || !fields, "Give options or fields, not both.");

const create: CreateTool = () =>
  defineTool({
    name: ASK_USER,
    always: true,
    asksUser: true,
    description:
      "Asks the user and waits for the answer. Only for a decision or fact that you need to continue and cannot find out " +
      "yourself; ask everything at once. The user may skip it. Never ask for passwords or keys.",
    input: Input,
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 1000 },
    describe: ({ question }) => question,
    summarize: (_, output) => describeAnswers(output as QuestionOutput),
    execute: async () => {
      throw new Error("ask_user is handled by the run, which waits for the user's answer.");
    },
  });
export default create;

const describeAnswers = (output: QuestionOutput): string =>
  "skipped" in output ? "the user skipped the question" : `the user answered ${toLine(output.answers)}`;

const toLine = (answers: Answers): string =>
  Object.entries(answers)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : String(value)}`)
    .join("; ");
