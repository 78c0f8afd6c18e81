import { define } from "./language.ts";
import { plural } from "./plural.ts";

/** Parts of a message. */
export const parts = define("parts", {
  reasoning: {
    streaming: "Thinking",
    done: "Reasoning",
    cut: "Reasoning, cut short",
    took: (time: string) => `Thought for ${time}`,
  },
  failedAttempts: (count: number) =>
    count === 1 ? "1 failed attempt before this" : `${count} failed attempts before this`,
  attempt: (number: number, model: string) => `Attempt ${number} with ${model}`,
  /** Fixed texts of notices by their code. The first values of the notice come in this order. */
  notices: {
    "no-tools": "This model does not support tools, so it is called without them.",
    "fewer-tools": (window: string, offered: string, all: string) =>
      `This model's context window of ${window} tokens is too small for all tools: ${offered} of ${all} are offered. To use the others, give the model server a larger context window (in Ollama: OLLAMA_CONTEXT_LENGTH), or choose another model.`,
    "window-too-small": (window: string, prompt: string) =>
      `This model's context window of ${window} tokens is too small for this prompt (${prompt} tokens) and an answer, so the answer may be cut. Choose a model with a larger window.`,
    "too-long": "The prompt is too long for this model. It is shortened and sent again.",
    "message-shortened": (tokens: string, from: string, window: string, left: string) =>
      `Your message of ${from} tokens is too long for this model: its context window of ${window} tokens leaves ${left} for it. Only its beginning and end are sent, ${tokens} tokens in all. Send it in parts, or choose a model with a larger window.`,
    "prompt-truncated": (reported: string, sent: string, window: string) =>
      `The model server reports ${reported} input tokens, but about ${sent} were sent. It probably dropped the oldest part of the conversation. Give the server a larger context window (in Ollama: num_ctx). For the next 24 hours Stonechat sends this model at most ${window} tokens.`,
    "profile-gone":
      "The profile of this thread was deleted, so the default profile “stone” was used. Choose another profile for this thread.",
  },
  discarded: (reason: string) => `Discarded draft: ${reason}.`,
  source: "Source",
  recalled: (count: number) => (count === 1 ? "Recalled one passage" : `Recalled ${count} passages`),
  unknown: (kind: string) => `Unknown content: ${kind}`,
  unknownData: "Content",
  file: "file",
  image: "Image",
  enlarge: (name: string) => `Enlarge ${name}`,
  /** Before a file's name. */
  open: "Open",
  pages: (count: number) => plural(count, "page"),
  /** Share of an attached file's text that is in the prompt. */
  share: (percent: number) => `${percent}% in the prompt`,
});
