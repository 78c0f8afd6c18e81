import { z } from "zod";
import { ClientId } from "../ids.ts";
import { Text } from "../text.ts";

export const promptLimits = { perUser: 500, textCharacters: 20_000 } as const;

/** A saved prompt. It is inserted by `/name`; `{{variable}}` and `{{variable=default}}` in its text are filled in. */
export const Prompt = z.object({
  id: z.string(),
  name: z.string(),
  text: z.string(),
  /** Offered only in threads of this project; null: in all threads. */
  projectId: z.string().nullable(),
  version: z.number(),
  updatedAt: z.number(),
});
export type Prompt = z.infer<typeof Prompt>;

/** Letters are all of the basic plane from À on, without surrogates: the pattern is also used in the OpenAPI document. */
const Name = z
  .string()
  .regex(/^[0-9A-Za-z_\u00C0-\uD7FF-]{1,40}$/, "a name has 1-40 letters, digits, - and _, and no spaces");
const PromptText = Text.max(promptLimits.textCharacters).refine((text) => text.trim() !== "", "a prompt needs a text");

const none = z.object({});
const params = z.object({ promptId: ClientId });
const one = { status: 200, response: z.object({ prompt: Prompt }) } as const;

export const promptApi = {
  listPrompts: {
    summary: "Saved prompts for all threads and, if given, of a project; or those whose name or text contains `q`",
    params: none,
    query: z.object({ projectId: ClientId.optional(), q: z.string().max(200).optional() }),
    body: null,
    status: 200,
    response: z.object({ prompts: z.array(Prompt) }),
  },
  createPrompt: {
    summary: "Save a prompt",
    params: none,
    query: none,
    body: z
      .object({ id: ClientId, name: Name, text: PromptText, projectId: ClientId.nullable().default(null) })
      .strict(),
    ...one,
  },
  changePrompt: {
    summary: "Change a saved prompt. `was` is the version that the change is based on",
    params,
    query: none,
    body: z
      .object({
        was: z.int().min(1),
        name: Name.optional(),
        text: PromptText.optional(),
        projectId: ClientId.nullable().optional(),
      })
      .strict(),
    ...one,
  },
  deletePrompt: {
    summary: "Delete a saved prompt",
    params,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
