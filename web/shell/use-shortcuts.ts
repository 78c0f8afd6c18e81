import { useEffect } from "react";
import { composerFieldId } from "../composer/composer.tsx";
import { searchFieldId } from "../search/search-field.tsx";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { everywhere, type ShortcutName } from "./shortcuts.ts";

const names = new Map<string, ShortcutName>(
  (Object.keys(everywhere) as ShortcutName[]).map((name) => [everywhere[name].press, name]),
);

/** The keys that work everywhere. */
export function useShortcuts(openDrawer: () => void): void {
  const { go, goTo, route, commands, sheet } = usePage();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !(event.ctrlKey || event.metaKey)) return;
      const name = names.get(`${event.shiftKey ? "shift " : ""}${event.key.toLowerCase()}`);
      if (!name) return;
      event.preventDefault();
      acts[name]();
    };
    const acts: Readonly<Record<ShortcutName, () => void>> = {
      palette: () => sheet.set(sheet.get()?.kind === "palette" ? null : { kind: "palette" }),
      search: () => focusSearch(openDrawer),
      startThread: () => goTo(null),
      write: () => document.getElementById(composerFieldId)?.focus(),
      stop: () => {
        const { threadId } = route.get();
        if (threadId) void commands.stop(threadId);
      },
      settings: () => go(toSettingsPath()),
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [go, goTo, route, commands, sheet, openDrawer]);
}

function focusSearch(openDrawer: () => void): void {
  const field = document.getElementById(searchFieldId);
  if (field) field.focus();
  else openDrawer();
}
