import type { ProfileView } from "../../../protocol/settings/profiles.ts";
import { usePage } from "../../state/page.ts";
import { toSettingsPath } from "../../state/route.ts";
import { toProfileName } from "../../labels/profiles.ts";

/** The server's limit. */
const longestName = 60;

/** Copies a profile and opens the copy. */
export function useCopy(profile: ProfileView): (id: string) => Promise<void> {
  const { client, go } = usePage();
  return async (id) => {
    const name = `${toProfileName(profile).slice(0, longestName - 5)} copy`;
    await client.createProfile({ params: {}, body: { id, name, from: profile.id } });
    go(toSettingsPath("profiles", id));
  };
}
