import { define } from "./language.ts";
import { plural } from "./plural.ts";

/** The start page and an open thread. */
export const thread = define("thread", {
  start: {
    label: "Start",
    heading: "What is on your mind?",
    samples: "Suggestions",
  },
  temporary: {
    name: "Temporary",
    /** Follows the name where there is space. */
    detail: ": deleted when you leave it",
    hint: "Not listed, searched or remembered. Deleted when you leave it or close the page.",
    about:
      "This thread is temporary: it does not appear in lists, search or memory, and is deleted when you leave it or close the page.",
  },
  introduction: {
    label: "About Stonechat",
    server: {
      title: "Runs on your server",
      text: "Messages and answers are stored on your own server. You can close the page while an answer is being written.",
    },
    receipts: {
      title: "Nothing is hidden",
      text: "Each answer shows what the model was given, what it did and what it cost.",
    },
    keyboard: {
      title: "Everything within reach",
      text: "Press Ctrl K to find and run any command. Type @ to mention tools, files and projects.",
    },
  },
  /** Suggested first messages. The demo model only quotes text and runs tools. */
  samplesForDemo: [
    { label: "What can you do?", text: "What can you do?" },
    { label: "What time is it?", text: "What time is it in Tokyo?" },
    { label: "Calculate", text: "What is 17.5% of 2480?" },
    {
      label: "Give it a fact",
      text: "A stonechat is a small bird of heaths. Its call sounds like two pebbles knocked together.",
    },
  ],
  samples: [
    { label: "Explain something", text: "Explain how tides work, with a small table of spring and neap tides." },
    { label: "Write some code", text: "Write a TypeScript function that groups an array by a key, with one example." },
    { label: "Make a plan", text: "Help me plan a two-day walk: what to decide first, and a packing list." },
    {
      label: "Think it through",
      text: "I have to choose between two job offers. Ask me the five questions that matter most.",
    },
  ],
  demo: {
    label: "About the demo model",
    text: "You're using the built-in demo model, which can only quote text and run tools. To use a real model, add an API key or a local server such as Ollama.",
    connect: "Connect a model",
    hide: "Hide",
  },
  header: { addToProject: "Add to project" },
  messages: {
    label: "Messages",
    empty: "No messages yet",
    loadFailed: "Some messages could not be loaded.",
    scrollToEnd: "Scroll to the end",
    inOtherVariant: "That message is in another variant of this thread.",
    unsent: "Your message, not sent yet",
    files: (count: number) => plural(count, "file"),
  },
  announce: {
    answering: "Stonechat is answering.",
    parked: "The answer is parked.",
    endedEarly: "The answer ended early.",
    approval: (title: string, reason: string) => `Waiting for approval: ${title}. ${reason}`,
  },
  branch: {
    text: "Your next message branches from an earlier answer. Later messages are kept as a variant.",
    show: (depth: string) => `Show message ${depth}`,
    cancel: "Continue from the last message instead",
  },
});
