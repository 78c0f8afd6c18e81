import { BrainCog } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import type { Model } from "../../../protocol/api.ts";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { findPrice, groupModels, sortModels, toProvider, toShort } from "../../labels/model.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { modelSettings as strings } from "../../strings/settings/models.ts";
import { Badge } from "../../ui/badge.tsx";
import { fieldLook } from "../../ui/field.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { ProviderCard } from "./provider-card.tsx";

/** Providers with their keys, and their models. */
export const ModelsSection = () => {
  const { state, providers, reload, put } = useProviders();
  return (
    <>
      <Section title={strings.providers}>
        <Quiet>{strings.about}</Quiet>
        {state.phase === "loading" && <Waiting />}
        {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
        <ul aria-label={strings.providers} className="mt-1 grid gap-2">
          {providers.map((provider) => (
            <ProviderCard key={provider.id} provider={provider} onChanged={put} />
          ))}
        </ul>
      </Section>
      <ModelTable />
    </>
  );
};

/** The providers, reloaded when any tab has changed them. `put` merges a provider from a response. */
function useProviders() {
  const { client, list, session } = usePage();
  const { state, reload } = useLoad("providers", (signal) => client.listProviders({ params: {} }, signal));
  const changes = useSignal(list.settings);
  const [updated, setUpdated] = useState<readonly Provider[]>([]);
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  useEffect(() => setUpdated([]), [state]);
  const put = (provider: Provider) => {
    setUpdated((before) => [...before.filter(({ id }) => id !== provider.id), provider]);
    void session.load();
  };
  const providers =
    state.phase === "ready"
      ? state.value.providers.map((one) => updated.find(({ id }) => id === one.id) ?? one)
      : ([] as const);
  return { state, providers, reload, put } as const;
}

const kinds = ["all", "ready", "free", "paid", "reasoning"] as const;
type Kind = (typeof kinds)[number];
const isKind: Readonly<Record<Kind, (model: Model) => boolean>> = {
  all: () => true,
  ready: ({ available }) => available,
  free: ({ free }) => free,
  paid: ({ free }) => !free,
  reasoning: ({ reasoning }) => reasoning,
};

/** Enough to browse; a filter finds the others. */
const firstCount = 60;

/** All models with price and features; unusable ones below, with the reason. */
const ModelTable = () => {
  const { session } = usePage();
  const models = useSignal(session.models);
  const [query, setQuery] = useState("");
  const [kind, setKind] = useState<Kind>("all");
  const [showsAll, setShowsAll] = useState(false);
  const deferredQuery = useDeferredValue(query);
  const matches = useMemo(() => sortModels(models.filter(isKind[kind]), deferredQuery), [models, kind, deferredQuery]);
  const shown = showsAll ? matches : matches.slice(0, firstCount);
  return (
    <Section title={strings.models.title} count={matches.length}>
      <Quiet>{strings.models.about}</Quiet>
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
      {groupModels(shown).map(({ reason, models: members }) => (
        <div key={reason} className="mt-2 first:mt-0">
          {reason !== null && <p className="mt-4 mb-1 text-xs font-medium text-soft">{reason}</p>}
          <ul aria-label={reason ?? strings.models.ready} className="grid gap-0.5">
            {members.map((model) => (
              <ModelRow key={model.id} model={model} />
            ))}
          </ul>
        </div>
      ))}
      {shown.length < matches.length && (
        <button type="button" className="plain-button mt-3" onClick={() => setShowsAll(true)}>
          {strings.models.showAll(matches.length)}
        </button>
      )}
    </Section>
  );
};

const ModelRow = ({ model }: { readonly model: Model }) => {
  const { session } = usePage();
  const state = useSignal(session.state);
  const isDefault = state.phase === "signed-in" && state.me.defaultModel === model.id;
  const { id, name, note, windowTokens, reasoning, free, available } = model;
  return (
    <li
      className={`grid gap-x-4 gap-y-0.5 rounded-xl px-3 py-2 text-sm [contain-intrinsic-size:auto_3.25rem] [content-visibility:auto] hover:bg-hover/60 sm:grid-cols-[1fr_5.5rem_9rem_6.5rem] sm:items-center ${available ? "" : "text-soft"}`}
    >
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          {isDefault && <Badge tone="quiet">{strings.models.default}</Badge>}
          {reasoning && (
            <span className="inline-flex items-center gap-1 text-xs text-soft">
              <BrainCog aria-hidden="true" className="size-3.5" />
              {strings.models.reasoning}
            </span>
          )}
        </span>
        <span className="block font-mono text-xs wrap-anywhere text-soft">{id}</span>
        {note !== "" && <span className="block text-xs text-soft">{note}</span>}
      </span>
      <span className="text-xs text-soft">{toProvider(model)}</span>
      <span className={`text-xs tabular-nums ${free && available ? "text-good" : "text-soft"}`}>
        {free ? strings.models.free : (findPrice(model) ?? strings.models.paid)}
      </span>
      <span className="text-xs text-soft tabular-nums sm:text-end">
        {windowTokens === null ? strings.models.unknownWindow : strings.models.window(toShort(windowTokens))}
      </span>
    </li>
  );
};
