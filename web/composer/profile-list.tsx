import { Check } from "lucide-react";
import { useId, useRef, useState, type KeyboardEvent } from "react";
import type { ProfileView } from "../../protocol/settings/profiles.ts";
import { toNextRow } from "../lib/row-keys.ts";
import { useProfiles } from "../state/use-profiles.ts";
import { describeProfile, toProfileName } from "../labels/profiles.ts";
import { actions } from "../strings/actions.ts";
import { composer } from "../strings/composer.ts";
import { toSettingsPath } from "../state/route.ts";

const strings = composer.model;

type Props = { readonly profileId: string; readonly onPick: (profile: ProfileView) => void };

/** The profiles, custom ones first. Arrow keys move, Enter picks. */
export const ProfileList = ({ profileId, onPick }: Props) => {
  const { state, reload } = useProfiles();
  if (state.phase === "loading")
    return (
      <p role="status" className="animate-late px-3 py-4 text-sm text-soft">
        {actions.loading}
      </p>
    );
  if (state.phase === "failed")
    return (
      <p role="alert" className="px-3 py-4 text-sm text-danger">
        {state.text}{" "}
        <button type="button" className="underline underline-offset-2" onClick={reload}>
          {actions.retry}
        </button>
      </p>
    );
  const { profiles } = state.value;
  const sorted = profiles.toSorted((a, b) => Number(a.builtIn) - Number(b.builtIn));
  return (
    <>
      <Rows profiles={sorted} profileId={profileId} onPick={onPick} />
      <a
        href={toSettingsPath("profiles")}
        className="mx-2 mt-1 rounded-lg px-1 py-1.5 text-xs text-soft underline-offset-2 hover:text-ink hover:underline"
      >
        {strings.manageProfiles}
      </a>
    </>
  );
};

type RowsProps = Props & { readonly profiles: readonly ProfileView[] };

const Rows = ({ profiles, profileId, onPick }: RowsProps) => {
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      profiles.findIndex(({ id }) => id === profileId),
    ),
  );
  const active = profiles[Math.min(at, profiles.length - 1)];
  const onKeyDown = (event: KeyboardEvent) => {
    const next = toNextRow(event.key, at, profiles.length);
    if (next !== null) {
      event.preventDefault();
      setAt(next);
      list.current?.querySelectorAll('[role="option"]')[next]?.scrollIntoView({ block: "nearest" });
    }
    if ((event.key === "Enter" || event.key === " ") && active) {
      event.preventDefault();
      onPick(active);
    }
  };
  return (
    <div
      ref={list}
      role="listbox"
      aria-label={strings.profiles}
      tabIndex={0}
      aria-activedescendant={active ? `${listId}-${active.id}` : undefined}
      onKeyDown={onKeyDown}
      className="min-h-0 overflow-y-auto rounded-xl focus-visible:-outline-offset-2"
    >
      {profiles.map((profile) => (
        <div
          key={profile.id}
          id={`${listId}-${profile.id}`}
          role="option"
          aria-selected={profile.id === profileId}
          onClick={() => onPick(profile)}
          className={`flex cursor-pointer items-start gap-2 rounded-xl px-3 py-1.5 text-sm hover:bg-hover pointer-coarse:py-2.5 ${profile === active ? "bg-hover" : ""}`}
        >
          <span className="min-w-0 flex-1">
            <span dir="auto" className="block truncate font-medium">
              {toProfileName(profile)}
              {!profile.builtIn && <span className="ms-2 text-xs font-normal text-soft">{strings.custom}</span>}
            </span>
            <span dir="auto" className="line-clamp-2 text-xs text-soft">
              {describeProfile(profile)}
            </span>
          </span>
          {profile.id === profileId && <Check aria-hidden="true" className="mt-0.5 size-4 flex-none text-accent" />}
        </div>
      ))}
    </div>
  );
};
