import type { z } from "zod";
import type { OpenAiRoute } from "../../../protocol/surfaces/openai-routes.ts";
import { createAnswers } from "./open-answers.ts";
import { createChatHandler } from "./chat.ts";
import { ConversationBody, createConversations } from "./conversations.ts";
import { toJson, type Handler, type OpenAiDeps } from "./handler.ts";
import { ListQuery } from "./list-items.ts";
import { getModel, listModels } from "./models.ts";
import { ChatBody } from "./parse-chat.ts";
import { ResponseBody } from "./parse-responses.ts";
import { createResponseHandler, createStoredResponses, ResponseQuery } from "./responses.ts";

export { CLIENT_GONE, type OpenAiReply } from "./handler.ts";
export { AnswerFailed, toOpenAiError, type OpenAiError } from "./errors.ts";

/** OpenAI's API on our engine: a mapping of requests to user actions, and of stored answers to replies. */
export type OpenAi = ReturnType<typeof createOpenAi>;

export function createOpenAi(deps: OpenAiDeps) {
  const conversations = createConversations(deps);
  const answers = createAnswers(deps);
  return {
    listModels: async ({ principal }) => ({ json: { object: "list", data: await listModels(deps, principal) } }),
    getModel: ({ principal, params }) => toJson(getModel(deps, principal, params["id"] ?? "")),
    createChat: createChatHandler(deps, answers),
    createResponse: createResponseHandler(deps, answers),
    ...createStoredResponses(deps, answers),
    createConversation: ({ principal, body }) => toJson(conversations.create(principal, body)),
    getConversation: ({ principal, params }) => toJson(conversations.get(principal, params["id"] ?? "")),
    updateConversation: ({ principal, params, body }) =>
      toJson(conversations.update(principal, params["id"] ?? "", body)),
    deleteConversation: ({ principal, params }) => toJson(conversations.remove(principal, params["id"] ?? "")),
    listItems: ({ principal, params, query }) => toJson(conversations.items(principal, params["id"] ?? "", query)),
    getItem: ({ principal, params }) =>
      toJson(conversations.getItem(principal, params["id"] ?? "", params["item"] ?? "")),
    deleteItem: ({ principal, params }) =>
      toJson(conversations.removeItem(principal, params["id"] ?? "", params["item"] ?? "")),
    addItems: ({ principal, params, body }) => toJson(conversations.add(principal, params["id"] ?? "", body)),
  } satisfies Record<string, Handler>;
}

/** Schemas of the fields that are read of a request, for the description of the API. */
export const requestSchemas: Partial<Record<OpenAiRoute, { readonly body?: z.ZodType; readonly query?: z.ZodObject }>> =
  {
    createChat: { body: ChatBody },
    createResponse: { body: ResponseBody },
    getResponse: { query: ResponseQuery },
    listInputItems: { query: ListQuery },
    createConversation: { body: ConversationBody },
    updateConversation: { body: ConversationBody },
    listItems: { query: ListQuery },
    addItems: { body: ConversationBody },
  };
