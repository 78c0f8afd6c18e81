import { useCallback, useMemo, useState } from "react";
import { usePage } from "../../state/page.ts";

/** In a small workspace every folder is open until it is closed; in a large one it is the other way round. */
const fewFiles = 60;

/** Which folders are open, kept per project. */
export function useFolds(projectId: string, fileCount: number) {
  const { keep } = usePage();
  const key = `workspace.${projectId}.folds`;
  const [set, setSet] = useState<Readonly<Record<string, boolean>>>(() => readKept(keep.get(key)));
  const isOpen = useMemo(() => (path: string) => set[path] ?? fileCount <= fewFiles, [set, fileCount]);
  const fold = useCallback(
    (path: string, open: boolean) =>
      setSet((before) => {
        const next = { ...before, [path]: open };
        keep.set(key, JSON.stringify(next));
        return next;
      }),
    [keep, key],
  );
  return { isOpen, fold } as const;
}

function readKept(text: string | null): Readonly<Record<string, boolean>> {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    const entries = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
    return Object.fromEntries(entries.filter(([, open]) => typeof open === "boolean"));
  } catch {
    return {};
  }
}
