import { Copy, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ProfileView } from "../../../protocol/settings/profiles.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { usePage } from "../../state/page.ts";
import { toSettingsPath } from "../../state/route.ts";
import { useRequest } from "../../lib/use-request.ts";
import Confirm from "../../ui/confirm.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ProfileEditor } from "./profile-editor.tsx";
import { useCopy } from "./use-copy.ts";
import { useProfiles } from "../../state/use-profiles.ts";
import { describeProfile, toProfileName } from "../../labels/profiles.ts";

/** Built-in profiles and custom copies of them. */
export const ProfilesSection = ({ openId }: { readonly openId: string | null }) => {
  const { state, reload } = useProfiles();
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed") return <Failed text={state.text} onRetry={reload} />;
  const { profiles, bounds } = state.value;
  if (openId !== null) {
    const profile = profiles.find(({ id }) => id === openId);
    if (profile) return <ProfileEditor key={openId} profile={profile} bounds={bounds} onChanged={reload} />;
    return (
      <Quiet>
        There is no such profile any more.{" "}
        <a href={toSettingsPath("profiles")} className="text-accent underline underline-offset-2">
          To all profiles
        </a>
      </Quiet>
    );
  }
  const own = profiles.filter(({ builtIn }) => !builtIn);
  return (
    <>
      <Section title="Yours" count={own.length}>
        {own.length === 0 && (
          <Quiet>Make a copy of one below, and change what it is told, its tools and how far it may go.</Quiet>
        )}
        <Rows label="Your profiles" profiles={own} onChanged={reload} />
      </Section>
      <Section title="Built in">
        <Rows label="Built-in profiles" profiles={profiles.filter(({ builtIn }) => builtIn)} onChanged={reload} />
      </Section>
    </>
  );
};

type RowsProps = {
  readonly label: string;
  readonly profiles: readonly ProfileView[];
  readonly onChanged: () => void;
};

const Rows = ({ label, profiles, onChanged }: RowsProps) => (
  <ul aria-label={label} className="mt-1 grid gap-2 empty:hidden">
    {profiles.map((profile) => (
      <Row key={profile.id} profile={profile} onChanged={onChanged} />
    ))}
  </ul>
);

const Row = ({ profile, onChanged }: { readonly profile: ProfileView; readonly onChanged: () => void }) => {
  const { client } = usePage();
  const { id, builtIn } = profile;
  const name = toProfileName(profile);
  const copy = useCopy(profile);
  const [isAsking, setAsking] = useState(false);
  const { state, send } = useRequest();
  const remove = async () => {
    if (await send(() => client.deleteProfile({ params: { profileId: id } }))) onChanged();
  };
  return (
    <li className="relative flex flex-wrap items-center gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3 transition-colors hover:bg-hover">
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
        <ActButton label={`Copy ${name}`} act={copy} onDone={onChanged}>
          <Copy aria-hidden="true" className="size-3.5" />
          Copy
        </ActButton>
        {!builtIn && (
          <IconButton label={`Delete ${name}`} onClick={() => setAsking(true)}>
            <Trash2 aria-hidden="true" className="size-4" />
          </IconButton>
        )}
      </span>
      {state.name === "failed" && (
        <p role="alert" className="basis-full text-sm text-danger">
          {state.text}
        </p>
      )}
      {isAsking && (
        <Confirm
          title={`Delete ${name}?`}
          text="Threads that use it go on with the profile for everything, and say so."
          action="Delete"
          onConfirm={() => void remove()}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
};
