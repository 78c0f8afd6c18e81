import { settingsSections as strings } from "../strings/labels/settings-sections.ts";

const ids = ["models", "tools", "profiles", "prompts", "appearance", "shortcuts", "data"] as const;

/** Sections of the settings in their order; ids are their URL names, `words` are search aliases. */
export const settingsSections = ids.map((id) => ({ id, name: strings[id].name, words: strings[id].keywords }));
