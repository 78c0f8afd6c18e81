import type { ProfileView } from "../../protocol/settings/profiles.ts";
import { own } from "../lib/own.ts";
import { profileLabels as strings } from "../strings/labels/profiles.ts";

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const toProfileName = ({ builtIn, name }: Pick<ProfileView, "builtIn" | "name">): string =>
  builtIn ? capital(name) : name;

export function describeProfile({ builtIn, id, from, instructions }: ProfileView): string {
  if (builtIn) return own(strings.builtIn, id) ?? "";
  const [line = ""] = instructions.trim().split("\n");
  if (line !== "") return line;
  return from === null ? strings.copy : strings.copyOf(capital(from));
}
