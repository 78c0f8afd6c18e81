import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal } from "../../protocol/errors.ts";
import { ClientId, threadStream, type StreamName } from "../../protocol/ids.ts";
import { streams as paths } from "../../protocol/routes.ts";
import type { Principal } from "../auth/principal.ts";
import type { Ids } from "../lib/ids.ts";
import type { Head } from "./guard.ts";
import { sendReply, toRefusal } from "./reply.ts";
import type { Logger } from "./route-types.ts";
import { toCursor, type Streams } from "./sse.ts";

type Options = {
  readonly admit: (head: Head) => void;
  readonly identify: (head: Head) => Promise<Principal>;
  readonly authorizeThread: (principal: Principal, threadId: string) => Promise<void>;
  readonly userStreamOf: (principal: Principal) => StreamName;
  readonly head?: (stream: StreamName) => Promise<number>;
  readonly streams: Streams;
  readonly ids: Ids;
  readonly logger: Logger;
};

const threadPath = new RegExp(`^${paths.thread.replace(":threadId", "([^/]+)")}$`);

/**
 * The two streams, taken before the router so that nothing of it stays alive for as long as they do. The same checks in the
 * same order as any other request. False: the request is not for a stream.
 */
export function createStreamDoor(options: Options): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { streams, logger, ids } = options;

  const open = async (request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> => {
    try {
      streams.attach(response, await prepare(request, target, options));
    } catch (error) {
      if (response.headersSent) {
        logger.error({ err: error }, "a stream could not be opened");
        response.destroy();
      } else sendReply(response, toRefusal(error, ids.next(), logger));
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

type Target = { readonly path: string; readonly threadId: string | undefined; readonly query: string };
type Reader = { readonly userId: string; readonly stream: StreamName; readonly after: number };

function findTarget(url: string): Target | undefined {
  const at = url.indexOf("?");
  const path = at === -1 ? url : url.slice(0, at);
  const threadId = threadPath.exec(path)?.[1];
  if (threadId === undefined && path !== paths.user) return undefined;
  return { path, threadId, query: at === -1 ? "" : url.slice(at + 1) };
}

async function prepare(request: IncomingMessage, target: Target, options: Options): Promise<Reader> {
  const head: Head = { path: target.path, header: (name) => request.headers[name]?.toString() };
  options.admit(head);
  const principal = await options.identify(head);
  const after = toCursor(head.header("last-event-id"), new URLSearchParams(target.query).get("after"));
  const stream = await findStream(principal, target.threadId, options);
  const newest = await options.head?.(stream);
  if (newest !== undefined && after > newest) {
    throw new Refusal("invalid", "The cursor lies ahead of the stream. Load the thread again and go on from its seq.");
  }
  return { userId: principal.userId, stream, after };
}

async function findStream(principal: Principal, threadId: string | undefined, options: Options): Promise<StreamName> {
  if (threadId === undefined) return options.userStreamOf(principal);
  if (!ClientId.safeParse(threadId).success) throw new Refusal("invalid", "The id of the thread is not valid.");
  await options.authorizeThread(principal, threadId);
  return threadStream(threadId);
}
