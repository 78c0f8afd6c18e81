import type { z } from "zod";
import { api } from "../../../protocol/api.ts";
import type { AutopilotTurn, ProjectTurn, ResearchTurn } from "../../../protocol/surfaces/alias-routes.ts";
import type { ChatRequest } from "../../../protocol/surfaces/chats.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Threads } from "../../thread/threads.ts";
import type { Chats, ChatStream } from "../ai-sdk/chats.ts";
import { toThreadId } from "../ai-sdk/find-branch-point.ts";
import { ignoreConflict } from "../ai-sdk/turn.ts";

export type AliasTurns = ReturnType<typeof createAliasTurns>;

type Options = { readonly chats: Pick<Chats, "post">; readonly threads: Threads; readonly ids: Ids };

/** Turns of the routes in `protocol/surfaces/alias-routes.ts`: each is a chat of the AI SDK surface with the profile of its kind. */
export function createAliasTurns({ chats, threads, ids }: Options) {
  const toRequest = (chatId: string, text: string, messageId = ids.next()): ChatRequest => ({
    id: chatId,
    trigger: "submit-message",
    message: { id: messageId, role: "user", parts: [{ type: "text", text }] },
  });

  return {
    research: (principal: Principal, turn: z.infer<typeof ResearchTurn>): Promise<ChatStream> =>
      chats.post(principal, { ...toRequest(turn.chatId, turn.message, turn.messageId), profile: "research" }),

    /** The answer is written in the background, as everywhere. */
    autopilot: async (principal: Principal, turn: z.infer<typeof AutopilotTurn>) => {
      const request = toRequest(turn.threadId, turn.text, turn.messageId);
      await chats.post(principal, { ...request, profile: "autopilot" });
      return { ok: true, threadId: turn.threadId };
    },

    project: async (principal: Principal, turn: z.infer<typeof ProjectTurn>): Promise<ChatStream> => {
      const { sessionId, contextType: mode, entityId, projectFocus } = turn;
      const isFocus = mode === "focus";
      const projectId = projectFocus?.projectId ?? (isFocus || mode === "global" ? undefined : entityId);
      const body = {
        id: toThreadId(principal.userId, sessionId),
        profile: "project",
        mode,
        ...(projectId === undefined ? {} : { projectId }),
        ...(isFocus && entityId !== undefined ? { focusId: entityId } : {}),
      };
      // A session keeps the context that it began with.
      await ignoreConflict(threads.create(principal, api.createThread.body.parse(body)));
      return chats.post(principal, toRequest(sessionId, turn.message, turn.messageId));
    },
  };
}
