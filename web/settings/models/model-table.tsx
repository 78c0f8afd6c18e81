import { BrainCog } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import type { Model } from "../../../protocol/api.ts";
import { findPrice, groupModels, sortModels, toProvider, toShort } from "../../labels/model.ts";
import { Select } from "../../ui/select.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { Badge } from "../../ui/badge.tsx";
import { fieldLook } from "../../ui/field.tsx";

const kinds = ["all", "ready", "free", "paid", "reasoning"] as const;
type Kind = (typeof kinds)[number];
const kindWords: Readonly<Record<Kind, string>> = {
  all: "All models",
  ready: "Ready to use",
  free: "Free",
  paid: "Paid",
  reasoning: "With reasoning",
};
const isKind: Readonly<Record<Kind, (model: Model) => boolean>> = {
  all: () => true,
  ready: ({ available }) => available,
  free: ({ free }) => free,
  paid: ({ free }) => !free,
  reasoning: ({ reasoning }) => reasoning,
};

/** Enough to browse; a filter finds the others. */
const shownAtFirst = 60;

/** All models with price and features; unusable ones below, with the reason. */
export const ModelTable = () => {
  const { session } = usePage();
  const models = useSignal(session.models);
  const [query, setQuery] = useState("");
  const [kind, setKind] = useState<Kind>("all");
  const [isWhole, setWhole] = useState(false);
  const words = useDeferredValue(query);
  const fitting = useMemo(() => sortModels(models.filter(isKind[kind]), words), [models, kind, words]);
  const shown = isWhole ? fitting : fitting.slice(0, shownAtFirst);
  return (
    <Section title="Models" count={fitting.length}>
      <Quiet>Prices are in US dollars for a million tokens, in and out.</Quiet>
      <div className="mt-1 mb-2 flex gap-2">
        <input
          aria-label="Filter models"
          placeholder="Filter by name or provider"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className={`${fieldLook} flex-1`}
        />
        <Select label="Kind of models" value={kind} choices={kinds} words={kindWords} onChoose={setKind} />
      </div>
      {models.length === 0 && <Quiet>They come as soon as the server answers.</Quiet>}
      {models.length > 0 && fitting.length === 0 && <Quiet>No model fits that.</Quiet>}
      {groupModels(shown).map(({ reason, models: members }) => (
        <div key={reason} className="mt-2 first:mt-0">
          {reason !== null && <p className="mt-4 mb-1 text-xs font-medium text-soft">{reason}</p>}
          <ul aria-label={reason ?? "Ready to use"} className="grid gap-0.5">
            {members.map((model) => (
              <Row key={model.id} model={model} />
            ))}
          </ul>
        </div>
      ))}
      {shown.length < fitting.length && (
        <button type="button" className="plain-button mt-3" onClick={() => setWhole(true)}>
          Show all {fitting.length}
        </button>
      )}
    </Section>
  );
};

const Row = ({ model }: { readonly model: Model }) => {
  const { session } = usePage();
  const state = useSignal(session.state);
  const isDefault = state.phase === "here" && state.me.defaultModel === model.id;
  const { id, name, note, windowTokens, reasoning, free, available } = model;
  return (
    <li
      className={`grid gap-x-4 gap-y-0.5 rounded-xl px-3 py-2 text-sm [contain-intrinsic-size:auto_3.25rem] [content-visibility:auto] hover:bg-hover/60 sm:grid-cols-[1fr_5.5rem_9rem_6.5rem] sm:items-center ${available ? "" : "text-soft"}`}
    >
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          {isDefault && <Badge tone="quiet">Default</Badge>}
          {reasoning && (
            <span className="inline-flex items-center gap-1 text-xs text-soft">
              <BrainCog aria-hidden="true" className="size-3.5" />
              reasoning
            </span>
          )}
        </span>
        <span className="block font-mono text-xs wrap-anywhere text-soft">{id}</span>
        {note !== "" && <span className="block text-xs text-soft">{note}</span>}
      </span>
      <span className="text-xs text-soft">{toProvider(model)}</span>
      <span className={`text-xs tabular-nums ${free && available ? "text-good" : "text-soft"}`}>
        {free ? "Free" : (findPrice(model) ?? "Paid")}
      </span>
      <span className="text-xs text-soft tabular-nums sm:text-end">
        {windowTokens === null ? "window unknown" : `${toShort(windowTokens)} window`}
      </span>
    </li>
  );
};
