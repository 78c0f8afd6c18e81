import { z } from "zod";
import { ChatId } from "./chats.ts";
import { ClientId } from "../ids.ts";
import { Text } from "../text.ts";

/**
 * Routes of other chat servers, under their paths and with their fields, on our engine (docs/aliases.md). A chat or session id may
 * be any text. `messageId` makes a repeated request idempotent. Fields that are not listed are ignored.
 */
export const aliasRoutes = {
  researchTurn: "/api/ai/agent/stream",
  autopilotTurn: "/api/autopilot/send",
  projectTurn: "/api/agent/v2/stream",
  searchWeb: "/api/search",
  scrapeWebpage: "/api/scrape",
} as const;

const inboundLimits = { sources: 12, urlCharacters: 2_000, titleCharacters: 500, contextCharacters: 5_000 };

const messageId = z.string().min(1).max(200).optional();

export const ResearchTurn = z.object({
  chatId: ChatId,
  message: Text.min(1),
  messageId,
  /** The client's copy of the conversation. Cut to 5,000 characters and then not used: the server has the thread itself. */
  conversationContext: Text.transform((text) => text.slice(0, inboundLimits.contextCharacters)).optional(),
  /** Sources that the client knows. Checked and not used: the server keeps the sources of each answer itself. */
  webResearchSources: z
    .array(
      z.object({
        url: z.string().max(inboundLimits.urlCharacters).optional(),
        title: z.string().max(inboundLimits.titleCharacters).optional(),
      }),
    )
    .max(inboundLimits.sources)
    .optional(),
});

export const AutopilotTurn = z.object({ threadId: ChatId, text: Text.min(1), messageId });

export const ProjectTurn = z.object({
  sessionId: ChatId,
  message: Text.min(1),
  messageId,
  /** The context of a new session: all projects, one project, one of its entities, or the kinds of a project. */
  contextType: z.enum(["global", "project", "focus", "ontology"]).default("global"),
  /** The project, or the entity in focus. */
  entityId: ClientId.optional(),
  projectFocus: z.object({ projectId: ClientId }).optional(),
});

export const SearchRequest = z.object({
  query: z.string().trim().min(1).max(200),
  count: z.number().int().min(1).max(10).optional(),
});
export const ScrapeRequest = z.object({ url: z.string().trim().min(1).max(inboundLimits.urlCharacters) });
