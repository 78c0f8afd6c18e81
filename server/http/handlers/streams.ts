import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../../../protocol/errors.ts";
import { ClientId, projectStream, threadStream, type StreamName } from "../../../protocol/ids.ts";
import { streams as paths } from "../../../protocol/routes.ts";
import { toSession, type Principal } from "../../auth/principal.ts";
import type { Ids } from "../../lib/ids.ts";
import type { RequestHead } from "../guard.ts";
import { sendReply, toErrorReply } from "../reply.ts";
import type { Logger } from "../route-types.ts";
import { toCursor, type Streams } from "../sse.ts";

type Options = {
  readonly checkRequest: (head: RequestHead) => void;
  readonly identify: (head: RequestHead) => Promise<Principal>;
  readonly corsHeaders: (head: RequestHead) => Readonly<Record<string, string>>;
  readonly authorizeThread: (principal: Principal, threadId: string) => Promise<void>;
  readonly authorizeProject: (principal: Principal, projectId: string) => Promise<void>;
  readonly userStreamOf: (principal: Principal) => StreamName;
  readonly head?: (stream: StreamName) => Promise<number>;
  readonly streams: Streams;
  readonly ids: Ids;
  readonly logger: Logger;
};

const threadPath = new RegExp(`^${paths.thread.replace(":threadId", "([^/]+)")}$`);
const projectPath = new RegExp(`^${paths.project.replace(":projectId", "([^/]+)")}$`);

/**
 * Handles event streams before the router, so that long-lived streams hold no router state. Applies the same checks in the same
 * order as for other requests. Returns false if the request is not for a stream.
 */
export function createStreamHandler(options: Options): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { streams, logger, ids } = options;

  const open = async (request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> => {
    const head = toHead(request, target);
    response.setHeaders(new Map(Object.entries(options.corsHeaders(head))));
    try {
      streams.attach(response, await prepare(head, target, options));
    } catch (error) {
      if (response.headersSent) {
        logger.error({ err: error }, "A stream could not be opened.");
        response.destroy();
      } else sendReply(response, toErrorReply(error, ids.next(), logger));
    }
  };
  return (request, response) => {
    const target = request.method === "GET" ? findTarget(request.url ?? "") : undefined;
    if (target === undefined) return false;
    request.resume();
    void open(request, response, target);
    return true;
  };
}

/** `user`: the stream of the authenticated user. */
type StreamSubject = { readonly kind: "thread" | "project"; readonly id: string } | { readonly kind: "user" };
type Target = { readonly path: string; readonly of: StreamSubject; readonly query: string };
type Reader = {
  readonly userId: string;
  readonly session: string | undefined;
  readonly stream: StreamName;
  readonly after: number;
  readonly presence: boolean;
};

function findTarget(url: string): Target | undefined {
  const at = url.indexOf("?");
  const path = at === -1 ? url : url.slice(0, at);
  const of = toSubject(path);
  return of && { path, of, query: at === -1 ? "" : url.slice(at + 1) };
}

function toSubject(path: string): StreamSubject | undefined {
  const threadId = threadPath.exec(path)?.[1];
  if (threadId !== undefined) return { kind: "thread", id: threadId };
  const projectId = projectPath.exec(path)?.[1];
  if (projectId !== undefined) return { kind: "project", id: projectId };
  return path === paths.user ? { kind: "user" } : undefined;
}

const toHead = (request: IncomingMessage, { path }: Target): RequestHead => ({
  method: "GET",
  path,
  httpVersion: request.httpVersion,
  socketAddress: request.socket.remoteAddress,
  header: (name) => request.headers[name]?.toString(),
});

async function prepare(head: RequestHead, target: Target, options: Options): Promise<Reader> {
  options.checkRequest(head);
  const principal = await options.identify(head);
  const query = new URLSearchParams(target.query);
  const after = toCursor(head.header("last-event-id"), query.get("after"));
  const stream = await findStream(principal, target.of, options);
  const newest = await options.head?.(stream);
  if (newest !== undefined && after > newest) {
    throw new ApiError("invalid", "The cursor is ahead of the stream. Reload the data and continue from its seq.");
  }
  return {
    userId: principal.userId,
    session: toSession(principal),
    stream,
    after,
    presence: query.get("presence") === "1",
  };
}

async function findStream(principal: Principal, of: StreamSubject, options: Options): Promise<StreamName> {
  if (of.kind === "user") return options.userStreamOf(principal);
  if (!ClientId.safeParse(of.id).success) throw new ApiError("invalid", `The id of the ${of.kind} is not valid.`);
  if (of.kind === "thread") await options.authorizeThread(principal, of.id);
  else await options.authorizeProject(principal, of.id);
  return of.kind === "thread" ? threadStream(of.id) : projectStream(of.id);
}
