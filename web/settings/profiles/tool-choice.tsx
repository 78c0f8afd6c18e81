import { useEffect, useId, useMemo, useState } from "react";
import { Quiet, Section } from "../../ui/section.tsx";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { fieldLook } from "../../ui/field.tsx";
import { toToolTitle } from "../tools/describe-tool.ts";
import { profileSettings as strings } from "../../strings/settings/profiles.ts";

type Props = {
  /** null: chosen automatically per conversation. */
  readonly chosen: readonly string[] | null;
  readonly isReadOnly: boolean;
  readonly onChoose: (tools: readonly string[] | null) => void;
};

/** Tools that are always in the prompt; the others can still be found by name. */
export const ToolChoice = ({ chosen, isReadOnly, onChoose }: Props) => {
  const { session } = usePage();
  const known = useSignal(session.tools);
  useEffect(() => void session.loadTools(), [session]);
  const group = useId();
  // Selected tools come first, in an order that stays while choosing.
  const [first] = useState(chosen ?? []);
  const all = [...new Set([...first, ...(known?.tools ?? []).map(({ name }) => name), ...(chosen ?? [])])];
  return (
    <Section title={strings.tools.title} {...(chosen ? { count: chosen.length } : {})}>
      <Quiet>{strings.tools.about}</Quiet>
      <div role="radiogroup" aria-label={strings.tools.title} className="mt-1 grid gap-0.5 text-sm">
        <label className="flex min-h-9 items-center gap-2.5">
          <input
            type="radio"
            name={group}
            checked={chosen === null}
            className="size-4 accent-(--accent)"
            onChange={() => onChoose(null)}
          />
          {strings.tools.automatic}
        </label>
        <label className="flex min-h-9 items-center gap-2.5">
          <input
            type="radio"
            name={group}
            checked={chosen !== null}
            className="size-4 accent-(--accent)"
            onChange={() => onChoose([])}
          />
          {strings.tools.chosen}
        </label>
      </div>
      {chosen !== null && (
        <ToolCheckboxes
          chosen={chosen}
          names={isReadOnly ? chosen : all}
          known={known === null ? null : new Set(known.tools.map(({ name }) => name))}
          isReadOnly={isReadOnly}
          onChoose={onChoose}
        />
      )}
    </Section>
  );
};

type ToolCheckboxesProps = {
  readonly chosen: readonly string[];
  readonly names: readonly string[];
  readonly known: ReadonlySet<string> | null;
  readonly isReadOnly: boolean;
  readonly onChoose: (tools: readonly string[]) => void;
};

const ToolCheckboxes = ({ chosen, names, known, isReadOnly, onChoose }: ToolCheckboxesProps) => {
  const [query, setQuery] = useState("");
  const shown = useMemo(() => {
    const text = query.trim().toLowerCase();
    return names.filter((name) => `${name} ${toToolTitle(name)}`.toLowerCase().includes(text));
  }, [names, query]);
  return (
    <div className="mt-1 grid gap-2 rounded-2xl bg-raised p-3">
      {!isReadOnly && (
        <input
          aria-label={strings.tools.filter}
          placeholder={strings.tools.filter}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className={fieldLook}
        />
      )}
      <div
        role="group"
        aria-label={strings.tools.offeredFirst}
        tabIndex={0}
        className="grid max-h-72 gap-x-4 overflow-y-auto overscroll-contain px-1 sm:grid-cols-2"
      >
        {shown.map((name) => (
          <label key={name} className="flex min-h-9 min-w-0 items-center gap-2.5 text-sm pointer-coarse:min-h-11">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              className="size-4 flex-none accent-(--accent)"
              onChange={(event) =>
                onChoose(event.target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
            />
            <span className="min-w-0">
              <span className="block truncate">{toToolTitle(name)}</span>
              <span className="block truncate font-mono text-xs text-soft">
                {known?.has(name) === false ? strings.tools.missing(name) : name}
              </span>
            </span>
          </label>
        ))}
      </div>
      {shown.length === 0 && <p className="px-1 text-sm text-soft">{strings.tools.noMatch}</p>}
    </div>
  );
};
