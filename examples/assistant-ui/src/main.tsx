import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from "@assistant-ui/react";
import { AssistantChatTransport, useAISDKChat, useChatRuntime } from "@assistant-ui/react-ai-sdk";
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from "ai";
import { useEffect, useRef } from "react";
import { createRoot } from "react-dom/client";

// The chat of this address. Any id works: the server has one thread for it.
location.hash ||= crypto.randomUUID();
const chatId = location.hash.slice(1);
const chatUrl = `/api/chat/${encodeURIComponent(chatId)}`;

/** The cancel button only closes the connection. Its signal is not aborted by a reload, so it stops the answer. */
const fetchAndStop: typeof fetch = (input, init) => {
  init?.signal?.addEventListener("abort", () => void fetch(`${chatUrl}/stop`, { method: "POST" }));
  return fetch(input, init);
};

// assistant-ui has its own ids of threads, which change with every reload.
const transport = new AssistantChatTransport({
  api: "/api/chat",
  fetch: fetchAndStop,
  prepareSendMessagesRequest: ({ body, messages, trigger, messageId }) => ({
    body: { ...body, id: chatId, messages, trigger, messageId },
  }),
  prepareReconnectToStreamRequest: () => ({ api: `${chatUrl}/stream` }),
});

function App({ initial }: { initial: UIMessage[] }) {
  const runtime = useChatRuntime({
    transport,
    messages: initial,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Resume />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ Message }} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" submitMode="enter" />
          <ThreadPrimitive.If running={false}>
            <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          </ThreadPrimitive.If>
          <ThreadPrimitive.If running>
            <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
          </ThreadPrimitive.If>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
      <Status />
    </AssistantRuntimeProvider>
  );
}

/** Follows an answer that is being written, after a reload or in a second tab. */
function Resume() {
  const chat = useAISDKChat();
  const isResumed = useRef(false);
  useEffect(() => {
    if (!chat || isResumed.current) return;
    isResumed.current = true;
    void chat.resumeStream();
  }, [chat]);
  return null;
}

const Status = () => <p role="status">{useAISDKChat()?.status}</p>;

const Message = () => (
  <MessagePrimitive.Root>
    <article>
      <MessagePrimitive.Parts components={{ tools: { Fallback: ToolCall } }} />
    </article>
  </MessagePrimitive.Root>
);

function ToolCall({ toolName, result, approval, respondToApproval }: ToolCallMessagePartProps) {
  const isAsking = approval !== undefined && approval.approved === undefined;
  return (
    <p data-tool={toolName}>
      {toolName}: {isAsking ? "needs approval" : result === undefined ? "running" : "done"}
      {isAsking && (
        <>
          {" "}
          <button onClick={() => respondToApproval({ approved: true })}>Approve</button>{" "}
          <button onClick={() => respondToApproval({ approved: false })}>Deny</button>
        </>
      )}
    </p>
  );
}

const { messages } = (await (await fetch(chatUrl)).json()) as { messages: UIMessage[] };
const root = document.querySelector("#root");
if (root) createRoot(root).render(<App initial={messages} />);
