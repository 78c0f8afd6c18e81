import { z } from "zod";

/**
 * The routes that speak the AI SDK's protocol (`useChat` with `DefaultChatTransport`). Messages and parts are `UIMessage` and
 * `UIMessagePart` of the package `ai`; of a part only the fields that the server reads are checked.
 */
const chatLimits = { idCharacters: 500, messages: 5_000, parts: 10_000 } as const;

/** The largest body of `POST /api/chat`: clients send the whole list of messages, with files as data URLs. */
export const CHAT_BODY_BYTES = 32_000_000;

/** Chosen by the client, in any form. */
export const ChatId = z.string().min(1).max(chatLimits.idCharacters);

const UiPart = z.looseObject({ type: z.string() });
export type UiPart = z.infer<typeof UiPart>;

export const UiMessage = z.object({
  id: z.string().min(1).max(chatLimits.idCharacters),
  role: z.enum(["system", "user", "assistant"]),
  metadata: z.unknown().optional(),
  parts: z.array(UiPart).max(chatLimits.parts),
});
export type UiMessage = z.infer<typeof UiMessage>;

/** Fields that are not listed here are ignored. */
export const ChatRequest = z.object({
  id: ChatId,
  messages: z.array(UiMessage).max(chatLimits.messages).optional(),
  /** The last message, from a client that does not send the whole list. */
  message: UiMessage.optional(),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().max(chatLimits.idCharacters).nullish(),
  /** The model of this answer and the next ones. */
  model: z.string().min(1).max(200).optional(),
  /** Used only when the chat is new: its profile and project, and whether it is temporary. */
  profile: z.string().min(1).max(128).optional(),
  projectId: z.string().min(1).max(128).optional(),
  temporary: z.boolean().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

const none = z.object({});
const chat = z.object({ chatId: ChatId });

export const chatApi = {
  getChat: {
    summary: "The messages of a chat, for `useChat({ messages })` of the AI SDK",
    params: chat,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      id: z.string(),
      threadId: z.string(),
      title: z.string(),
      /** An answer is being written, or waits for approval. */
      isActive: z.boolean(),
      messages: z.array(UiMessage),
    }),
  },
  stopChat: {
    summary: "Stop the running answer of a chat. Its stream ends with `abort`",
    params: chat,
    query: none,
    body: null,
    status: 202,
    response: z.object({ id: z.string() }),
  },
} as const;
