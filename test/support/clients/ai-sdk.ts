import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  uiMessageChunkSchema,
  type ChatInit,
  type ChatState,
  type HttpChatTransportInitOptions,
  type UIMessage,
  type UIMessageChunk,
} from "ai";

/** A response of the AI SDK's routes, as it was received. */
export type ReceivedStream = { readonly status: number; readonly headers: Headers; readonly text: string };

/** The chunks of a stream, each checked with the package's own schema. A last event that was cut off is dropped. */
export async function toChunks(text: string): Promise<UIMessageChunk[]> {
  const events = text.split("\n\n").slice(0, -1);
  const bodies = events.filter((event) => event.startsWith("data: ")).map((event) => event.slice("data: ".length));
  const chunks: UIMessageChunk[] = [];
  for (const body of bodies.filter((one) => one !== "[DONE]")) {
    const checked = await uiMessageChunkSchema().validate!(JSON.parse(body));
    if (!checked.success) throw new Error(`not a chunk of the AI SDK: ${body}: ${checked.error.message}`);
    chunks.push(checked.value);
  }
  return chunks;
}

/** The message at the end of a stream, as the package's own reader builds it, without fields that are undefined. */
export async function readMessage(chunks: readonly UIMessageChunk[], before?: UIMessage): Promise<UIMessage> {
  let last: UIMessage | undefined = before;
  const stream = new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const errors: unknown[] = [];
  const options = { stream, onError: (error: unknown) => void errors.push(error) };
  for await (const message of readUIMessageStream(before ? { ...options, message: structuredClone(before) } : options))
    last = message;
  const shown = new Set(chunks.flatMap((chunk) => (chunk.type === "error" ? [chunk.errorText] : [])));
  const unexpected = errors.filter((error) => !shown.has((error as Error).message));
  if (unexpected.length > 0) throw unexpected[0];
  return toPlain(last!);
}

export const toPlain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export const postChat = (url: string, body: object): Promise<Response> =>
  fetch(`${url}/api/chat`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

export const resumeChat = (url: string, chatId: string): Promise<Response> =>
  fetch(`${url}/api/chat/${encodeURIComponent(chatId)}/stream`);

export const receive = async (response: Response): Promise<ReceivedStream> => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
});

export const userMessage = (id: string, text: string): UIMessage => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});

export const textsOf = ({ parts }: Pick<UIMessage, "parts">): string[] =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : []));

type ClientOptions = Partial<ChatInit<UIMessage>> & {
  readonly transportOptions?: HttpChatTransportInitOptions<UIMessage>;
};

/** The state of `useChat` without React. Types of React cannot be loaded here, because they declare elements of pages. */
class Chat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    const state: ChatState<UIMessage> = {
      status: "ready",
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, structuredClone(message))),
      snapshot: (value) => structuredClone(value),
    };
    super({ ...init, state });
  }
}

/** The class behind `useChat`, with the default transport. */
export function openChat(url: string | (() => string), id: string, options: ClientOptions = {}): Chat {
  const { transportOptions, ...rest } = options;
  const at = typeof url === "string" ? () => url : url;
  return new Chat({
    id,
    transport: new DefaultChatTransport({
      api: "/api/chat",
      // Browsers resolve the path against the page; Node needs the whole address.
      fetch: (path, init) => fetch(`${at()}${String(path)}`, init),
      ...transportOptions,
    }),
    sendAutomaticallyWhen: (given) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(given) || lastAssistantMessageIsCompleteWithToolCalls(given),
    ...rest,
  });
}

export const approvalsOf = ({ messages }: { readonly messages: readonly UIMessage[] }): string[] =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      "state" in part && part.state === "approval-requested" && "approval" in part ? [part.approval.id] : [],
    ),
  );
