import type { ProfileView } from "../../protocol/settings/profiles.ts";
import { own } from "../lib/own.ts";

const abouts: Readonly<Record<string, string>> = {
  stone: "The one for everything: chooses its tools by what is talked about.",
  research: "Plans, searches, reads the best pages and answers from them, with citations.",
  autopilot: "Takes an outcome and finds the way to it, step by step.",
  project: "Works in your projects: looks things up, writes and links them.",
  builder: "Builds small web apps in a project's files, with a preview.",
  assistant: "A personal assistant with memory, search, weather and a calculator.",
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const toProfileName = ({ builtIn, name }: Pick<ProfileView, "builtIn" | "name">): string =>
  builtIn ? capital(name) : name;

export function describeProfile({ builtIn, id, from, instructions }: ProfileView): string {
  if (builtIn) return own(abouts, id) ?? "";
  const [line = ""] = instructions.trim().split("\n");
  return line === "" ? `A copy of ${capital(from ?? "another")}, without instructions.` : line;
}
