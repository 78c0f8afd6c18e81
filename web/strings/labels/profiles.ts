import { define } from "../language.ts";
const builtIn: Readonly<Record<string, string>> = {
  stone: "General purpose: chooses its tools to fit the conversation.",
  research: "Plans, searches, reads the best pages and answers from them, with citations.",
  autopilot: "Works toward a goal, step by step.",
  project: "Works in your projects: finds, writes and links items.",
  builder: "Builds small web apps in a project's files, with a preview.",
  assistant: "A personal assistant with memory, search, weather and a calculator.",
};

export const profileLabels = define("profileLabels", {
  builtIn,
  copyOf: (name: string) => `A copy of ${name}, without instructions.`,
  copy: "A copy without instructions.",
});
