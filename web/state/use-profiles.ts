import { useEffect } from "react";
import { useLoad } from "../lib/use-load.ts";
import { useSignal } from "../lib/signal.ts";
import { longestMessage } from "../api/limits.ts";
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

const builtIn: ReadonlySet<string> = new Set(["stone", "research", "autopilot", "project", "builder", "assistant"]);

/** The longest message with this profile. A custom profile's is known when it is loaded; the server checks it as well. */
export function useLongestMessage(profile: string): number {
  const { found } = useOwnProfile(profile);
  return found?.messageCharacters ?? longestMessage(profile);
}

/** A custom profile, requested by its id; undefined for a built-in one, and until it is loaded. */
export function useOwnProfile(profile: string) {
  const { client, list } = usePage();
  const isOwn = profile !== "" && !builtIn.has(profile);
  const { state, reload } = useLoad(isOwn ? profile : null, (signal) => client.listProfiles({ params: {} }, signal));
  const changes = useSignal(list.settings);
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  const found = state.phase === "ready" ? state.value.profiles.find(({ id }) => id === profile) : undefined;
  return { isOwn, found } as const;
}

/** The built-in profile that decides how a profile behaves: itself, or the one that it was copied from. */
export function useProfileSource(profile: string): string {
  const { found } = useOwnProfile(profile);
  return found?.from ?? profile;
}
