import { useEffect } from "react";
import { composerFieldId } from "../composer/composer.tsx";
import { searchFieldId } from "../search/search-field.tsx";
import { usePage } from "../state/page.ts";

/** The keys that work everywhere; `shortcuts-dialog` lists them together with those of single places. */
export function useShortcuts(openDrawer: () => void): void {
  const { goTo, route, commands } = usePage();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !(event.ctrlKey || event.metaKey)) return;
      const run = keys[`${event.shiftKey ? "shift " : ""}${event.key.toLowerCase()}`];
      if (!run) return;
      event.preventDefault();
      run();
    };
    const keys: Readonly<Record<string, () => void>> = {
      k: () => {
        const field = document.getElementById(searchFieldId);
        if (field) field.focus();
        else openDrawer();
      },
      "shift o": () => goTo(null),
      i: () => document.getElementById(composerFieldId)?.focus(),
      ".": () => {
        const { threadId } = route.get();
        if (threadId) void commands.stop(threadId);
      },
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [goTo, route, commands, openDrawer]);
}
