import { SlidersHorizontal, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { SearchKind } from "../../protocol/search.ts";
import { useLoad } from "../lib/use-load.ts";
import { Select } from "../ui/select.tsx";
import { toProfileName } from "../labels/profiles.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { countFilters, everywhere, type SearchRoute } from "../state/search-route.ts";

type Props = { readonly route: SearchRoute; readonly onChange: (patch: Partial<SearchRoute>) => void };

const kinds: readonly { readonly kind: SearchKind | null; readonly word: string; readonly about: string }[] = [
  { kind: null, word: "All", about: "Everything" },
  { kind: "said", word: "Said", about: "Messages and titles of threads" },
  { kind: "fetched", word: "Fetched", about: "Pages and texts that tools have read, and attached files" },
  { kind: "written", word: "Written", about: "Documents, tasks and files of projects" },
];

/** Search filters: the kind is always visible, the others behind a button on narrow pages. */
export const SearchFilters = ({ route, onChange }: Props) => {
  const count = countFilters({ ...route, kind: null });
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <div className="grid gap-3">
      <div className="flex items-center gap-2">
        <div role="radiogroup" aria-label="Kind" className="flex min-w-0 flex-1 gap-0.5 sm:flex-none">
          {kinds.map(({ kind, word, about }) => (
            <label
              key={word}
              title={about}
              className="relative flex h-9 cursor-pointer items-center rounded-xl px-3 text-sm text-soft transition-colors hover:bg-hover hover:text-ink has-checked:bg-press has-checked:font-medium has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent max-sm:flex-1 max-sm:justify-center max-sm:px-1 pointer-coarse:h-11"
            >
              <input
                type="radio"
                name="search-kind"
                checked={route.kind === kind}
                onChange={() => onChange({ kind })}
                className="absolute inset-0 cursor-pointer opacity-0"
              />
              {word}
            </label>
          ))}
        </div>
        <button
          type="button"
          aria-expanded={isOpen}
          className="plain-button ms-auto bg-transparent px-3 aria-expanded:bg-hover pointer-coarse:min-h-11"
          onClick={() => setOpen(!isOpen)}
        >
          <SlidersHorizontal aria-hidden="true" className="size-4" />
          <span className="max-sm:sr-only">Filters</span>
          {count > 0 && (
            <span className="text-accent tabular-nums">
              {count}
              <span className="sr-only"> set</span>
            </span>
          )}
        </button>
      </div>
      {isOpen && <Fields route={route} onChange={onChange} />}
    </div>
  );
};

const archives = ["any", "false", "true"] as const;
const archiveWords = { any: "Archived or not", false: "Not archived", true: "Only archived" };

const Fields = ({ route, onChange }: Props) => {
  const { client, projects } = usePage();
  const all = useSignal(projects.state).projects;
  const { state } = useLoad("profiles", (signal) => client.listProfiles({ params: {} }, signal));
  const profiles = state.phase === "ready" ? state.value.profiles : [];
  const isSet = countFilters({ ...route, kind: null }) > 0;
  return (
    <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
      <Pick
        label="Project"
        anything="Any project"
        value={route.projectId}
        words={Object.fromEntries(all.map(({ id, name }) => [id, name]))}
        onPick={(projectId) => onChange({ projectId })}
      />
      <Pick
        label="Profile"
        anything="Any profile"
        value={route.profile}
        words={Object.fromEntries(profiles.map((profile) => [profile.id, toProfileName(profile)]))}
        onPick={(profile) => onChange({ profile })}
      />
      <Select
        label="Archive"
        value={route.archived ?? "any"}
        choices={archives}
        words={archiveWords}
        className="max-sm:col-span-2"
        onChoose={(next) => onChange({ archived: next === "any" ? null : next })}
      />
      <Day label="From" value={route.from} onChange={(from) => onChange({ from })} />
      <Day label="Until" value={route.to} onChange={(to) => onChange({ to })} />
      {isSet && (
        <button
          type="button"
          className="plain-button justify-self-start bg-transparent px-3 text-accent max-sm:col-span-2 pointer-coarse:min-h-11"
          onClick={() => onChange({ ...everywhere, q: route.q, kind: route.kind })}
        >
          <X aria-hidden="true" className="size-4" />
          Clear the filters
        </button>
      )}
    </div>
  );
};

type PickProps = {
  readonly label: string;
  readonly anything: string;
  readonly value: string | null;
  readonly words: Readonly<Record<string, string>>;
  readonly onPick: (value: string | null) => void;
};

/** Values from the URL are offered even if their name is unknown. */
const Pick = ({ label, anything, value, words, onPick }: PickProps): ReactNode => {
  const known = Object.keys(words);
  const choices = ["", ...(value === null || known.includes(value) ? [] : [value]), ...known];
  return (
    <Select
      label={label}
      value={value ?? ""}
      choices={choices}
      words={{ ...words, "": anything }}
      onChoose={(next) => onPick(next === "" ? null : next)}
    />
  );
};

type DayProps = {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (day: string | null) => void;
};

const Day = ({ label, value, onChange }: DayProps) => (
  <label className="flex min-h-9 min-w-0 items-center gap-2 rounded-xl bg-hover ps-3 pe-2 text-sm text-soft focus-within:bg-press hover:bg-press pointer-coarse:min-h-11">
    {label}
    <input
      type="date"
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value === "" ? null : event.target.value)}
      className="min-w-0 flex-1 rounded bg-transparent text-ink"
    />
  </label>
);
