import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai";
import { useState } from "react";
import { createRoot } from "react-dom/client";

// The chat of this address. Any id works: the server has one thread for it.
location.hash ||= crypto.randomUUID();
const chatId = location.hash.slice(1);
const chatUrl = `/api/chat/${encodeURIComponent(chatId)}`;

const transport = new DefaultChatTransport({ api: "/api/chat" });

/** Stops the answer. `stop()` of `useChat` only closes the connection, and the answer would continue. */
const stopAnswer = () => fetch(`${chatUrl}/stop`, { method: "POST" });

function App({ initial }: { initial: UIMessage[] }) {
  const { messages, sendMessage, regenerate, addToolApprovalResponse, resumeStream, status, error } = useChat({
    id: chatId,
    messages: initial,
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    // The answer continues on the server, so a lost connection is only a reason to ask for it again.
    onFinish: ({ isDisconnect }) => {
      if (isDisconnect) setTimeout(() => void resumeStream(), 1000);
    },
  });
  const [text, setText] = useState("");
  const isRunning = status === "submitted" || status === "streaming";
  return (
    <>
      {messages.map((message) => (
        <Message
          key={message.id}
          message={message}
          decide={(id, approved) => addToolApprovalResponse({ id, approved })}
        />
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === "") return;
          void sendMessage({ text });
          setText("");
        }}
      >
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button>Send</button>
        {isRunning && (
          <button type="button" onClick={() => void stopAnswer()}>
            Stop
          </button>
        )}
        {!isRunning && messages.length > 0 && (
          <button type="button" onClick={() => void regenerate()}>
            Regenerate
          </button>
        )}
      </form>
      <p role="status">{status}</p>
    </>
  );
}

type MessageProps = { message: UIMessage; decide: (approvalId: string, approved: boolean) => void };

function Message({ message, decide }: MessageProps) {
  return (
    <article data-role={message.role}>
      {message.parts.map((part, index) => {
        if (part.type === "text") return <p key={index}>{part.text}</p>;
        if (part.type === "reasoning") return <small key={index}>{part.text}</small>;
        if (part.type === "source-url") {
          return (
            <a key={index} href={part.url}>
              {part.title ?? part.url}
            </a>
          );
        }
        if (!isToolUIPart(part)) return null;
        return (
          <p key={index} data-tool={getToolName(part)}>
            {part.title ?? getToolName(part)}: {part.state}
            {part.state === "approval-requested" && (
              <>
                {" "}
                {part.approval.requestReason} <button onClick={() => decide(part.approval.id, true)}>Approve</button>{" "}
                <button onClick={() => decide(part.approval.id, false)}>Deny</button>
              </>
            )}
          </p>
        );
      })}
    </article>
  );
}

const { messages } = (await (await fetch(chatUrl)).json()) as { messages: UIMessage[] };
const root = document.querySelector("#root");
if (root) createRoot(root).render(<App initial={messages} />);
