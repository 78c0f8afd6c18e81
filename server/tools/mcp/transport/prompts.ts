import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { z } from "zod";
import { removeInvisible } from "../clean-text.ts";

/** A prompt that a server offers to the user. */
export type McpPrompt = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[];
};

const MAX_PROMPTS = 100;
const MAX_ARGUMENTS = 20;
const MAX_NAME = 200;
const MAX_TEXT = 20_000;

const Argument = z.object({ name: z.string().min(1).max(60), required: z.boolean().catch(false).default(false) });
const Entry = z.object({
  name: z.string().min(1).max(MAX_NAME),
  title: z.string().catch("").default(""),
  description: z.string().catch("").default(""),
  arguments: z.array(Argument).max(MAX_ARGUMENTS).catch([]).default([]),
});
const Page = z.object({ prompts: z.array(z.unknown()) });
const Content = z.object({
  text: z.string().optional(),
  resource: z.object({ text: z.string().optional() }).optional(),
});
const Filled = z.object({ messages: z.array(z.object({ role: z.string(), content: z.unknown() })) });

/** The first page, because the user chooses from a short list. A prompt with invisible characters in its name is left out. */
export async function listPrompts(client: Client, options: RequestOptions): Promise<readonly McpPrompt[]> {
  if (!client.getServerCapabilities()?.prompts) return [];
  const { prompts } = await client.request({ method: "prompts/list", params: {} }, Page, options);
  return prompts.slice(0, MAX_PROMPTS).flatMap((entry) => {
    const { data } = Entry.safeParse(entry);
    if (!data || removeInvisible(data.name) !== data.name) return [];
    const title = removeInvisible(data.title).slice(0, MAX_NAME);
    return [{ ...data, title, description: removeInvisible(data.description).replace(/\s+/g, " ").slice(0, MAX_NAME) }];
  });
}

type Request = { readonly name: string; readonly arguments: Readonly<Record<string, string>> };

/** The texts of a prompt, which the user sees and can change before sending. Other content is left out. */
export async function fillPrompt(client: Client, request: Request, options: RequestOptions): Promise<string> {
  const params = { name: request.name, arguments: { ...request.arguments } };
  const { messages } = await client.request({ method: "prompts/get", params }, Filled, options);
  const texts = messages.map(({ content }) => {
    const { data } = Content.safeParse(content);
    return removeInvisible(data?.text ?? data?.resource?.text ?? "").trim();
  });
  return texts.filter(Boolean).join("\n\n").slice(0, MAX_TEXT).toWellFormed();
}
