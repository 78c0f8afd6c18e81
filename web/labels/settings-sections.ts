import type { Response } from "../../protocol/api.ts";
import { settingsSections as strings } from "../strings/labels/settings-sections.ts";

const ids = [
  "account",
  "people",
  "activity",
  "health",
  "models",
  "tools",
  "profiles",
  "prompts",
  "keys",
  "notifications",
  "appearance",
  "shortcuts",
  "data",
] as const;
type SectionId = (typeof ids)[number];

/** Sections that exist only on an instance with accounts, by the role that sees them. */
const ofAccounts: Partial<Record<SectionId, "everyone" | "admin">> = {
  account: "everyone",
  people: "admin",
  activity: "admin",
  health: "admin",
};

const sections = ids.map((id) => ({ id, name: strings[id].name, words: strings[id].keywords }));

/** Sections of the user's settings in their order; ids are their URL names, `words` are search aliases. */
export const listSettingsSections = (account: Response<"getMe">["account"]): typeof sections =>
  sections.filter(({ id }) => {
    const role = ofAccounts[id];
    return role === undefined || (account !== null && (role === "everyone" || account.role === role));
  });
