import { useState } from "react";
import { usePage } from "./page.ts";
import { readStored } from "../lib/storage.ts";

const secrets = new Map<string, unknown>();

/** Unsaved form input; null: none. It survives closing the form and the page. Secrets are kept in memory only. */
export function useFormDraft<T>(name: string, kind: "plain" | "secret" = "plain") {
  const { storage } = usePage();
  const key = `typed.${name}`;
  const [draft, setDraft] = useState<T | null>(() =>
    kind === "secret" ? ((secrets.get(key) as T | undefined) ?? null) : readStored<T>(storage, key),
  );
  const write = (next: T | null) => {
    setDraft(next);
    if (kind === "plain") storage.set(key, next === null ? null : JSON.stringify(next));
    else if (next === null) secrets.delete(key);
    else secrets.set(key, next);
  };
  return [draft, write] as const;
}
