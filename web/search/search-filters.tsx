import { SlidersHorizontal, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { SearchKind } from "../../protocol/search.ts";
import { useLoad } from "../lib/use-load.ts";
import { Select } from "../ui/select.tsx";
import { toProfileName } from "../labels/profiles.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { countFilters, everywhere, type SearchRoute } from "../state/search-route.ts";
import { search as strings } from "../strings/search.ts";

type Props = { readonly route: SearchRoute; readonly onChange: (patch: Partial<SearchRoute>) => void };

const { kinds: kindLabels, archives: archiveLabels } = strings.filters;

const kinds: readonly { readonly kind: SearchKind | null; readonly name: string; readonly about: string }[] = [
  { kind: null, ...kindLabels.all },
  { kind: "said", ...kindLabels.said },
  { kind: "fetched", ...kindLabels.fetched },
  { kind: "written", ...kindLabels.written },
];

/** Search filters: the kind is always visible, the others behind a button on narrow pages. */
export const SearchFilters = ({ route, onChange }: Props) => {
  const count = countFilters({ ...route, kind: null });
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <div className="grid gap-3">
      <div className="flex items-center gap-2">
        <div role="radiogroup" aria-label={strings.filters.kind} className="flex min-w-0 flex-1 gap-0.5 sm:flex-none">
          {kinds.map(({ kind, name, about }) => (
            <label
              key={name}
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
              {name}
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
          <span className="max-sm:sr-only">{strings.filters.title}</span>
          {count > 0 && (
            <span className="text-accent tabular-nums">
              {count}
              <span className="sr-only"> {strings.filters.active}</span>
            </span>
          )}
        </button>
      </div>
      {isOpen && <Fields route={route} onChange={onChange} />}
    </div>
  );
};

const archives = ["any", "false", "true"] as const;

const Fields = ({ route, onChange }: Props) => {
  const { client, projects } = usePage();
  const all = useSignal(projects.state).projects;
  const { state } = useLoad("profiles", (signal) => client.listProfiles({ params: {} }, signal));
  const profiles = state.phase === "ready" ? state.value.profiles : [];
  const hasFilters = countFilters({ ...route, kind: null }) > 0;
  return (
    <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
      <FilterSelect
        label={strings.filters.project}
        anyLabel={strings.filters.anyProject}
        value={route.projectId}
        words={Object.fromEntries(all.map(({ id, name }) => [id, name]))}
        onChoose={(projectId) => onChange({ projectId })}
      />
      <FilterSelect
        label={strings.filters.profile}
        anyLabel={strings.filters.anyProfile}
        value={route.profile}
        words={Object.fromEntries(profiles.map((profile) => [profile.id, toProfileName(profile)]))}
        onChoose={(profile) => onChange({ profile })}
      />
      <Select
        label={strings.filters.archive}
        value={route.archived ?? "any"}
        choices={archives}
        words={archiveLabels}
        className="max-sm:col-span-2"
        onChoose={(next) => onChange({ archived: next === "any" ? null : next })}
      />
      <DateField label={strings.filters.from} value={route.from} onChange={(from) => onChange({ from })} />
      <DateField label={strings.filters.until} value={route.to} onChange={(to) => onChange({ to })} />
      {hasFilters && (
        <button
          type="button"
          className="plain-button justify-self-start bg-transparent px-3 text-accent max-sm:col-span-2 pointer-coarse:min-h-11"
          onClick={() => onChange({ ...everywhere, q: route.q, kind: route.kind })}
        >
          <X aria-hidden="true" className="size-4" />
          {strings.filters.clear}
        </button>
      )}
    </div>
  );
};

type FilterSelectProps = {
  readonly label: string;
  readonly anyLabel: string;
  readonly value: string | null;
  readonly words: Readonly<Record<string, string>>;
  readonly onChoose: (value: string | null) => void;
};

/** A value from the URL is offered even if its name is unknown. */
const FilterSelect = ({ label, anyLabel, value, words, onChoose }: FilterSelectProps): ReactNode => {
  const ids = Object.keys(words);
  const choices = ["", ...(value === null || ids.includes(value) ? [] : [value]), ...ids];
  return (
    <Select
      label={label}
      value={value ?? ""}
      choices={choices}
      words={{ ...words, "": anyLabel }}
      onChoose={(next) => onChoose(next === "" ? null : next)}
    />
  );
};

type DateFieldProps = {
  readonly label: string;
  readonly value: string | null;
  readonly onChange: (day: string | null) => void;
};

const DateField = ({ label, value, onChange }: DateFieldProps) => (
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
