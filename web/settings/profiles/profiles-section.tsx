import { Copy } from "lucide-react";
import type { ProfileView } from "../../../protocol/settings/profiles.ts";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { usePage } from "../../state/page.ts";
import { toSettingsPath } from "../../state/route.ts";
import { Deletable } from "../deletable.tsx";
import { ProfileEditor, findCopied, toCopyPath } from "./profile-editor.tsx";
import { useProfiles } from "../../state/use-profiles.ts";
import { describeProfile, toProfileName } from "../../labels/profiles.ts";
import { actions } from "../../strings/actions.ts";
import { profileSettings as strings } from "../../strings/settings/profiles.ts";

/** Built-in profiles and custom copies of them. */
export const ProfilesSection = ({ openId }: { readonly openId: string | null }) => {
  const { state, reload } = useProfiles();
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed") return <Failed text={state.text} onRetry={reload} />;
  const { profiles, bounds } = state.value;
  if (openId !== null) {
    const profile = profiles.find(({ id }) => id === openId);
    const copied = profile ? null : findCopied(profiles, openId);
    const shown = profile ?? copied;
    if (shown) {
      const isCopy = copied !== null;
      return <ProfileEditor key={openId} profile={shown} isCopy={isCopy} bounds={bounds} onChanged={reload} />;
    }
    return (
      <Quiet>
        {strings.missing}{" "}
        <a href={toSettingsPath("profiles")} className="text-accent underline underline-offset-2">
          {strings.all}
        </a>
      </Quiet>
    );
  }
  const own = profiles.filter(({ builtIn }) => !builtIn);
  return (
    <>
      <Section title={strings.own} count={own.length}>
        {own.length === 0 && <Quiet>{strings.ownEmpty}</Quiet>}
        <ProfileList label={strings.own} profiles={own} onChanged={reload} />
      </Section>
      <Section title={strings.builtIn}>
        <ProfileList label={strings.builtIn} profiles={profiles.filter(({ builtIn }) => builtIn)} onChanged={reload} />
      </Section>
    </>
  );
};

type ProfileListProps = {
  readonly label: string;
  readonly profiles: readonly ProfileView[];
  readonly onChanged: () => void;
};

const ProfileList = ({ label, profiles, onChanged }: ProfileListProps) => (
  <ul aria-label={label} className="mt-1 grid gap-2 empty:hidden">
    {profiles.map((profile) => (
      <ProfileRow key={profile.id} profile={profile} onChanged={onChanged} />
    ))}
  </ul>
);

const ProfileRow = ({ profile, onChanged }: { readonly profile: ProfileView; readonly onChanged: () => void }) => {
  const { client } = usePage();
  const { id, builtIn } = profile;
  const name = toProfileName(profile);
  return (
    <li className="relative flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3 transition-colors hover:bg-hover">
      <Deletable
        label={strings.delete(name)}
        title={strings.deleteTitle(name)}
        text={strings.deleteAbout}
        action={actions.delete}
        send={() => client.deleteProfile({ params: { profileId: id } })}
        onDeleted={onChanged}
      >
        {(button) => (
          <>
            <div className="min-w-0 flex-1">
              <h3 className="font-medium">
                <a
                  href={toSettingsPath("profiles", id)}
                  dir="auto"
                  className="wrap-anywhere after:absolute after:inset-0 after:rounded-2xl"
                >
                  {name}
                </a>
              </h3>
              <p dir="auto" className="line-clamp-2 text-sm wrap-anywhere text-soft">
                {describeProfile(profile)}
              </p>
            </div>
            <span className="relative flex flex-wrap items-center gap-1">
              <a href={toCopyPath(id)} aria-label={strings.copyOf(name)} className="plain-button">
                <Copy aria-hidden="true" className="size-3.5" />
                {strings.copy}
              </a>
              {!builtIn && button}
            </span>
          </>
        )}
      </Deletable>
    </li>
  );
};
