import { define } from "./language.ts";
/** Parts of a message. */
export const parts = define("parts", {
  reasoning: { streaming: "Thinking", done: "Reasoning", cut: "Reasoning, cut short" },
  attempt: (number: number, model: string) => `Attempt ${number} with ${model}`,
  discarded: (reason: string) => `Discarded draft: ${reason}.`,
  source: "Source",
  recalled: (count: number) => (count === 1 ? "Recalled one passage" : `Recalled ${count} passages`),
  unknown: (kind: string) => `Unknown content: ${kind}`,
  unknownData: "Content",
  file: "file",
  image: "Image",
  enlarge: (name: string) => `Enlarge ${name}`,
  open: (name: string) => `Open ${name}`,
});
