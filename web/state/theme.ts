import type { Keep } from "./storage.ts";

/** `theme.js` applies the kept choice before the first paint; this changes it. */
export type Theme = "system" | "light" | "dark";

const key = "theme";

export const readTheme = (keep: Keep): Theme => {
  const kept = keep.get(key);
  return kept === "light" || kept === "dark" ? kept : "system";
};

export function applyTheme(keep: Keep, theme: Theme): void {
  keep.set(key, theme === "system" ? null : theme);
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}
