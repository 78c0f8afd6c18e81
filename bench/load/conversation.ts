import { Agent, request as ask, type ClientRequest, type IncomingMessage } from "node:http";
import { systemIds } from "../../server/lib/ids.ts";
import { createFrames, readText } from "./frames.ts";
import { writeScript, type Script } from "./script.ts";

/** The protocol of a contestant: a chat route that answers with the stream, or our own API. `path`: the route, if not `/chat`. */
export type Contestant = { readonly kind: "chat" | "stonechat"; readonly url: string; readonly path?: string };

/** One user's thread. `say` sends a message, passes each frame to `onFrame` and resolves at the end of the answer. */
export type Conversation = {
  readonly say: (script: Script) => Promise<void>;
  onFrame: (frame: string) => void;
  readonly close: () => void;
};

const agent = new Agent({ keepAlive: true });

/** Called before a load: its server may close connections that the previous load left idle at any moment. */
export const dropConnections = (): void => agent.destroy();

export async function openConversation({ kind, url, path }: Contestant, threadId?: string): Promise<Conversation> {
  return kind === "chat" ? openChat(`${url}${path ?? "/chat"}`) : openThread(url, threadId);
}

/** As `useChat` does: every request carries the whole conversation. */
function openChat(url: string): Conversation {
  let open: ClientRequest | undefined;
  const id = systemIds.next();
  const messages: { readonly id: string; readonly role: "user" | "assistant"; readonly parts: readonly TextPart[] }[] =
    [];
  const self: Conversation = {
    onFrame: () => {},
    say: async (script) => {
      messages.push({ id: systemIds.next(), role: "user", parts: [{ type: "text", text: writeScript(script) }] });
      const response = await send(url, { id, messages }, (request) => (open = request));
      let answer = "";
      const take = createFrames((frame) => {
        answer += readText(frame);
        self.onFrame(frame);
      });
      response.on("data", take);
      await ended(response);
      messages.push({ id: systemIds.next(), role: "assistant", parts: [{ type: "text", text: answer }] });
    },
    close: () => open?.destroy(),
  };
  return self;
}

type TextPart = { readonly type: "text"; readonly text: string };

/** In the order of the page: creates the thread, opens its stream, then sends the message. */
async function openThread(url: string, known?: string): Promise<Conversation> {
  const threadId = known ?? systemIds.next();
  if (known === undefined) await post(`${url}/api/threads`, { id: threadId, profile: "stone" });
  const thread = `${url}/api/threads/${threadId}`;
  const after = known === undefined ? 0 : await readSeq(thread);
  let settle: { readonly done: () => void; readonly fail: (error: Error) => void } | undefined;
  const { request, response } = await get(`${thread}/stream?after=${after}`);
  const self: Conversation = {
    onFrame: () => {},
    say: async (script) => {
      const ending = new Promise<void>((done, fail) => (settle = { done, fail }));
      await Promise.all([post(`${thread}/messages`, { id: systemIds.next(), text: writeScript(script) }), ending]);
    },
    close: () => {
      settle = undefined;
      request.destroy();
    },
  };
  const take = createFrames((frame) => {
    self.onFrame(frame);
    if (!frame.includes('"type":"run-ended"')) return;
    if (frame.includes('"outcome":"done"')) settle?.done();
    else settle?.fail(new Error(`An answer did not end as done: ${frame}`));
  });
  response.on("data", take);
  response.on("close", () => settle?.fail(new Error("The stream was cut.")));
  return self;
}

async function readSeq(thread: string): Promise<number> {
  const { response } = await get(`${thread}?limit=1`);
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return (JSON.parse(text) as { seq: number }).seq;
}

async function post(url: string, body: object): Promise<void> {
  const response = await send(url, body);
  response.resume();
  await ended(response);
}

function send(url: string, body: object, onRequest: (request: ClientRequest) => void = () => {}) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const request = ask(url, { method: "POST", agent, headers }, (response) => {
      if (isFine(response)) resolve(response);
      else reject(new Error(`${url} answered ${response.statusCode}`));
    });
    request.on("error", reject);
    onRequest(request);
    request.end(text);
  });
}

function get(url: string): Promise<{ readonly request: ClientRequest; readonly response: IncomingMessage }> {
  return new Promise((resolve, reject) => {
    const request = ask(url, (response) => {
      if (isFine(response)) resolve({ request, response });
      else reject(new Error(`${url} answered ${response.statusCode}`));
    });
    request.on("error", reject);
    request.end();
  });
}

const isFine = ({ statusCode = 500 }: IncomingMessage): boolean => statusCode < 300;

const ended = (response: IncomingMessage): Promise<void> =>
  new Promise((resolve, reject) => response.on("end", resolve).on("error", reject));
