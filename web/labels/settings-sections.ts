import { toAccount } from "../state/account/use-account.ts";
import type { SessionState } from "../state/session.ts";
import { settingsSections as strings } from "../strings/labels/settings-sections.ts";

const ids = [
  "account",
  "people",
  "activity",
  "health",
  "storage",
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
export const listSettingsSections = (session: SessionState): typeof sections => {
  const account = toAccount(session);
  const listed = sections.filter(({ id }) => {
    // For the operator: the admins, or the user of an instance without accounts.
    if (id === "storage") return session.phase === "signed-in" && (account === null || account.role === "admin");
    const role = ofAccounts[id];
    return role === undefined || (account !== null && (role === "everyone" || account.role === role));
  });
  if (account !== null) return listed;
  // Without accounts it is not among sections for admins, and would be the first.
  const isStorage = ({ id }: (typeof listed)[number]): boolean => id === "storage";
  return [...listed.filter((section) => !isStorage(section)), ...listed.filter(isStorage)];
};
