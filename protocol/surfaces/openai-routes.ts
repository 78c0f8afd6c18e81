/**
 * Routes of OpenAI's API. Bodies and replies are theirs, so they have no schemas here. A model id may contain slashes. This
 * file must not import zod.
 */
export const openAiRoutes = {
  listModels: { method: "GET", path: "/v1/models", summary: "Models and profiles" },
  getModel: { method: "GET", path: "/v1/models/:id{.+}", summary: "A model or profile" },
  createChat: { method: "POST", path: "/v1/chat/completions", summary: "Answer a conversation" },
  createResponse: { method: "POST", path: "/v1/responses", summary: "Create a response" },
  getResponse: { method: "GET", path: "/v1/responses/:id", summary: "A response, or its events after a number" },
  deleteResponse: { method: "DELETE", path: "/v1/responses/:id", summary: "Delete a response" },
  cancelResponse: { method: "POST", path: "/v1/responses/:id/cancel", summary: "Stop a response" },
  listInputItems: { method: "GET", path: "/v1/responses/:id/input_items", summary: "The input of a response" },
  createConversation: { method: "POST", path: "/v1/conversations", summary: "Create a conversation" },
  getConversation: { method: "GET", path: "/v1/conversations/:id", summary: "A conversation" },
  updateConversation: { method: "POST", path: "/v1/conversations/:id", summary: "Change a conversation's metadata" },
  deleteConversation: { method: "DELETE", path: "/v1/conversations/:id", summary: "Delete a conversation" },
  listItems: { method: "GET", path: "/v1/conversations/:id/items", summary: "The items of a conversation" },
  getItem: { method: "GET", path: "/v1/conversations/:id/items/:item", summary: "An item of a conversation" },
  deleteItem: { method: "DELETE", path: "/v1/conversations/:id/items/:item", summary: "Delete an item" },
  addItems: { method: "POST", path: "/v1/conversations/:id/items", summary: "Add items to a conversation" },
} as const satisfies Record<string, { method: "GET" | "POST" | "DELETE"; path: string; summary: string }>;

export type OpenAiRoute = keyof typeof openAiRoutes;

export const isOpenAiPath = (path: string): boolean => path.startsWith("/v1/");
