import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Hono } from "hono";
import { CHAT_BODY_BYTES, ChatId, ChatRequest } from "../../../protocol/surfaces/chats.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { threadStream } from "../../../protocol/ids.ts";
import { chatStreams } from "../../../protocol/routes.ts";
import { toSession, type Principal } from "../../auth/principal.ts";
import type { ChatStream, Chats } from "../../surfaces/ai-sdk/chats.ts";
import type { Env, Identify } from "../api-routes.ts";
import { readBody } from "../body.ts";
import { securityHeaders, toInvalid } from "../reply.ts";
import type { Streams } from "../sse.ts";
import { createUploadSlots, type UploadLimits } from "../upload-slots.ts";

type Options = {
  readonly chats: Pick<Chats, "post" | "resume">;
  readonly streams: Streams;
  readonly identify: Identify;
  readonly bodyTimeoutMs: number;
};

/** Larger requests are in memory as a whole while they are parsed. */
const largeRequests: UploadLimits = { perUser: 4, total: 8 };
const LARGE_BYTES = 1_000_000;

const headers = { "x-vercel-ai-ui-message-stream": "v1" };

/** Sends the answer's chunks over the connection of a request. */
export const createChatReply =
  (streams: Streams) =>
  (context: Context<Env>, principal: Principal, chat: ChatStream): Response => {
    // Absent only in tests without a socket.
    const outgoing = context.env?.outgoing as ServerResponse | undefined;
    if (!outgoing) throw new ApiError("unsupported", "A stream needs a connection.");
    const { threadId, after } = chat;
    const format = { ...chat, headers };
    const reader = { userId: principal.userId, session: toSession(principal) };
    streams.attach(outgoing, { ...reader, stream: threadStream(threadId), after, format });
    return RESPONSE_ALREADY_SENT;
  };

/** The two routes of the AI SDK whose response is a UI message stream. */
export function addAiSdkRoutes(app: Hono<Env>, { chats, streams, identify, bodyTimeoutMs }: Options): void {
  const attach = createChatReply(streams);
  const slots = createUploadSlots(largeRequests);

  app.post(chatStreams.post, async (context) => {
    const principal = await identify(context, "chat");
    const isLarge = !(Number(context.req.header("content-length") ?? Infinity) <= LARGE_BYTES);
    const release = isLarge ? slots.acquire(principal.userId) : () => {};
    try {
      const source = { request: context.req.raw, incoming: context.env?.incoming, timeoutMs: bodyTimeoutMs };
      const body = await readBody({ ...source, most: CHAT_BODY_BYTES });
      if (body === undefined) throw new ApiError("unsupported", "Send a JSON object as application/json.");
      const request = ChatRequest.safeParse(body);
      if (!request.success) throw toInvalid("body", request.error);
      return attach(context, principal, await chats.post(principal, request.data));
    } finally {
      release();
    }
  });

  app.get(chatStreams.resume, async (context) => {
    const principal = await identify(context, "read");
    const chatId = ChatId.safeParse(context.req.param("chatId"));
    if (!chatId.success) throw toInvalid("path", chatId.error);
    const chat = await chats.resume(principal, chatId.data);
    if (chat) return attach(context, principal, chat);
    const reply = { ...securityHeaders, "cache-control": "no-store", "x-request-id": context.get("requestId") };
    return new Response(null, { status: 204, headers: reply });
  });
}
