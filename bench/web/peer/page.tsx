import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  useLocalRuntime,
} from "@assistant-ui/react";
import { MarkdownTextPrimitive } from "@assistant-ui/react-markdown";
import { useState, type MouseEvent } from "react";
import { createRoot } from "react-dom/client";
import remarkGfm from "remark-gfm";
import { answer } from "./answer.ts";

/**
 * The page to compare with ours: assistant-ui as in its documentation, with its Markdown package, the same messages and the same
 * stream. It has only a list of threads, a thread and a composer.
 */
type Message = { readonly role: "user" | "assistant"; readonly content: string };
type OpenedThread = { readonly id: string; readonly messages: readonly Message[] };

const remarkPlugins = [remarkGfm];
const lengths = (document.body.dataset["lengths"] ?? "").split(",");

const Markdown = () => <MarkdownTextPrimitive remarkPlugins={remarkPlugins} />;

const UserMessage = () => (
  <MessagePrimitive.Root asChild>
    <article className="asked">
      <MessagePrimitive.Parts />
    </article>
  </MessagePrimitive.Root>
);

const AssistantMessage = () => (
  <MessagePrimitive.Root asChild>
    <article>
      <MessagePrimitive.Parts components={{ Text: Markdown }} />
    </article>
  </MessagePrimitive.Root>
);

const messageComponents = { UserMessage, AssistantMessage };

const Thread = ({ messages }: { readonly messages: readonly Message[] }) => (
  <AssistantRuntimeProvider runtime={useLocalRuntime({ run: answer }, { initialMessages: messages })}>
    <ThreadPrimitive.Root className="thread">
      <ThreadPrimitive.Viewport className="viewport">
        <ThreadPrimitive.Messages components={messageComponents} />
      </ThreadPrimitive.Viewport>
      <ComposerPrimitive.Root className="composer">
        <ComposerPrimitive.Input aria-label="Message" />
        <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  </AssistantRuntimeProvider>
);

const Page = () => {
  const [{ id, messages }, setOpened] = useState<OpenedThread>({ id: "", messages: [] });
  const open = async (event: MouseEvent<HTMLAnchorElement>) => {
    event.preventDefault();
    const address = event.currentTarget.href;
    setOpened({ id: address, messages: (await (await fetch(address)).json()) as readonly Message[] });
  };
  return (
    <>
      <nav>
        {lengths.map((length) => (
          <a key={length} href={`/threads/${length}`} onClick={(event) => void open(event)}>
            thread-of-{length}
          </a>
        ))}
      </nav>
      <Thread key={id} messages={messages} />
    </>
  );
};

const root = document.getElementById("root");
if (root) createRoot(root).render(<Page />);
