import type { ProfileView } from "../../../protocol/settings/profiles.ts";
import { usePage } from "../../state/page.ts";
import { toSettingsPath } from "../../state/route.ts";
import { toProfileName } from "../../labels/profiles.ts";
import { profileSettings as strings } from "../../strings/settings/profiles.ts";

/** The server's limit. */
const maxNameLength = 60;

/** Copies a profile and opens the copy. */
export function useCopy(profile: ProfileView): (id: string) => Promise<void> {
  const { client, go } = usePage();
  return async (id) => {
    const suffixLength = strings.copyName("").length;
    const name = strings.copyName(toProfileName(profile).slice(0, maxNameLength - suffixLength));
    await client.createProfile({ params: {}, body: { id, name, from: profile.id } });
    go(toSettingsPath("profiles", id));
  };
}
