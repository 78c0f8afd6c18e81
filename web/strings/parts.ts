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
  /** Of an attached file's text. */
  share: (percent: number) => `${percent}% in the prompt`,
});
