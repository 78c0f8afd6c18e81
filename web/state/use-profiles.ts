import { useEffect } from "react";
import { useLoad } from "../lib/use-load.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "./page.ts";

/** The profiles, reloaded when any tab has changed them. */
export function useProfiles() {
  const { client, list } = usePage();
  const { state, reload } = useLoad("profiles", (signal) => client.listProfiles({ params: {} }, signal));
  const changes = useSignal(list.settings);
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  return { state, reload } as const;
}
