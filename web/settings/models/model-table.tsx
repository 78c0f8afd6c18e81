import { useDeferredValue, useMemo, useState } from "react";
import type { ModelInfo } from "../../../protocol/api.ts";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { groupModels, limitGroups, sortModels, type ModelGroup } from "../../labels/model.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { modelSettings as strings } from "../../strings/settings/models.ts";
import { fieldLook } from "../../ui/field.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { ModelRow } from "./model-row.tsx";

const kinds = ["ready", "favorites", "local", "free", "paid", "reasoning", "all"] as const;
type Kind = (typeof kinds)[number];
const isKind: Readonly<Record<Kind, (model: ModelInfo) => boolean>> = {
  ready: ({ available }) => available,
  favorites: ({ favorite }) => favorite === true,
  local: ({ local }) => local === true,
  free: ({ free }) => free,
  paid: ({ free }) => !free,
  reasoning: ({ reasoning }) => reasoning,
  all: () => true,
};

/** Enough to browse; a filter finds the others. */
const firstCount = 60;

type Props = { readonly providers: readonly Provider[]; readonly isReadOnly?: boolean };

/** All models with price and features; unusable ones below, with the reason. */
export const ModelTable = ({ providers, isReadOnly = false }: Props) => {
  const { session } = usePage();
  const models = useSignal(session.models);
  const [query, setQuery] = useState("");
  const [kind, setKind] = useState<Kind>("ready");
  const [showsAll, setShowsAll] = useState(false);
  const deferredQuery = useDeferredValue(query);
  const matches = useMemo(() => sortModels(models.filter(isKind[kind]), deferredQuery), [models, kind, deferredQuery]);
  const me = useSignal(session.state);
  const defaultId = me.phase === "signed-in" ? me.me.defaultModel : "";
  const all = useMemo(() => groupModels(matches, defaultId), [matches, defaultId]);
  const groups = showsAll ? all : limitGroups(all, firstCount);
  const usable = groups.filter(({ reason }) => reason === null);
  const proven = new Set(providers.filter(({ isProven }) => isProven).map(({ id }) => id));
  const toGroup = ({ reason, provider, models: members }: ModelGroup) => {
    const title = reason ?? provider ?? strings.models.first;
    return (
      <div key={title}>
        <p className="mt-4 mb-1 text-xs font-medium text-soft">{title}</p>
        <ul aria-label={title} className="grid gap-0.5">
          {members.map((model) => (
            <ModelRow
              key={model.id}
              model={model}
              isReadOnly={isReadOnly}
              canBeDefault={proven.has(model.provider) || model.provider === "offline"}
            />
          ))}
        </ul>
      </div>
    );
  };
  return (
    <Section title={strings.models.title} count={matches.length}>
      <Quiet>{isReadOnly ? strings.forMembers : strings.models.about}</Quiet>
      <div className="mt-1 mb-2 flex gap-2">
        <input
          aria-label={strings.models.filter}
          placeholder={strings.models.filterHint}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className={`${fieldLook} flex-1`}
        />
        <Select
          label={strings.models.kind}
          value={kind}
          choices={kinds}
          words={strings.models.kinds}
          onChoose={setKind}
        />
      </div>
      {models.length === 0 && <Quiet>{strings.models.loading}</Quiet>}
      {models.length > 0 && matches.length === 0 && <Quiet>{strings.models.noMatch}</Quiet>}
      {usable.length > 0 && (
        <div role="group" aria-label={strings.models.ready}>
          {usable.map(toGroup)}
        </div>
      )}
      {groups.filter(({ reason }) => reason !== null).map(toGroup)}
      {!showsAll && matches.length > firstCount && (
        <button type="button" className="plain-button mt-3" onClick={() => setShowsAll(true)}>
          {strings.models.showAll(matches.length)}
        </button>
      )}
    </Section>
  );
};
