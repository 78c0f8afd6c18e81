import type { Context, Hono } from "hono";
import type { z } from "zod";
import {
  aliasRoutes,
  AutopilotTurn,
  ProjectTurn,
  ResearchTurn,
  ScrapeRequest,
  SearchRequest,
} from "../../../protocol/surfaces/alias-routes.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import type { AliasTurns } from "../../surfaces/aliases/turns.ts";
import type { Env, Identify } from "../api-routes.ts";
import { readBody } from "../body.ts";
import { toInvalid, toJson, toResponse } from "../reply.ts";
import type { Streams } from "../sse.ts";
import { createChatReply } from "./ai-sdk-routes.ts";

export type AliasOptions = {
  readonly turns: AliasTurns;
  readonly callWebTool: (principal: Principal, name: string, input: object, question?: string) => Promise<unknown>;
  readonly streams: Streams;
  readonly identify: Identify;
  readonly bodyTimeoutMs: number;
};

const BODY_BYTES = 1_000_000;

/** Routes of other chat servers (docs/aliases.md). Those that stream send the AI SDK's UI message stream. */
export function addAliasRoutes(app: Hono<Env>, options: AliasOptions): void {
  const { turns, callWebTool } = options;
  const stream = createChatReply(options.streams);

  const post = <S extends z.ZodType>(
    path: string,
    schema: S,
    handle: (principal: Principal, body: z.infer<S>, context: Context<Env>) => Promise<Response>,
  ) =>
    app.post(path, async (context) => {
      const principal = await options.identify(context, "chat");
      const source = { request: context.req.raw, incoming: context.env?.incoming, timeoutMs: options.bodyTimeoutMs };
      const body = await readBody({ ...source, most: BODY_BYTES });
      if (body === undefined) throw new ApiError("unsupported", "Send a JSON object as application/json.");
      const parsed = schema.safeParse(body);
      if (!parsed.success) throw toInvalid("body", parsed.error);
      return handle(principal, parsed.data, context);
    });
  const reply = (context: Context<Env>, status: 200 | 202, value: unknown): Response =>
    toResponse(toJson(status, value, context.get("requestId")));

  post(aliasRoutes.researchTurn, ResearchTurn, async (principal, turn, context) =>
    stream(context, principal, await turns.research(principal, turn)),
  );
  post(aliasRoutes.projectTurn, ProjectTurn, async (principal, turn, context) =>
    stream(context, principal, await turns.project(principal, turn)),
  );
  post(aliasRoutes.autopilotTurn, AutopilotTurn, async (principal, turn, context) =>
    reply(context, 202, await turns.autopilot(principal, turn)),
  );
  post(aliasRoutes.searchWeb, SearchRequest, async (principal, { query, count }, context) =>
    reply(context, 200, await callWebTool(principal, "search_web", { query, count }, query)),
  );
  post(aliasRoutes.scrapeWebpage, ScrapeRequest, async (principal, { url }, context) =>
    reply(context, 200, await callWebTool(principal, "scrape_webpage", { url })),
  );
}
