import { useCallback, useEffect, useRef, useState } from "react";
import { usePage } from "../state/page.ts";

const pauseMs = 250;

/** The unsent text of a thread, kept in the browser. `owner` is the thread's id, or "new". */
export function useDraft(owner: string): readonly [string, (text: string) => void] {
  const { keep } = usePage();
  const key = `draft.${owner}`;
  const [text, setText] = useState(() => keep.get(key) ?? "");
  const unsaved = useRef<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const save = useCallback(() => {
    clearTimeout(timer.current);
    if (unsaved.current !== null) keep.set(key, unsaved.current === "" ? null : unsaved.current);
    unsaved.current = null;
  }, [keep, key]);

  useEffect(() => {
    addEventListener("pagehide", save);
    return () => {
      removeEventListener("pagehide", save);
      save();
    };
  }, [save]);

  const change = useCallback(
    (next: string) => {
      setText(next);
      unsaved.current = next;
      clearTimeout(timer.current);
      if (next === "") save();
      else timer.current = setTimeout(save, pauseMs);
    },
    [save],
  );
  return [text, change];
}
