import { useEffect, useId, useMemo, useState } from "react";
import { Quiet, Section } from "../../ui/section.tsx";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { fieldLook } from "../../ui/field.tsx";
import { toToolTitle } from "../tools/describe-tool.ts";

type Props = {
  /** null: chosen automatically per conversation. */
  readonly chosen: readonly string[] | null;
  readonly isFixed: boolean;
  readonly onChoose: (tools: readonly string[] | null) => void;
};

/** Tools that are always in the prompt; the others can still be found by name. */
export const ToolChoice = ({ chosen, isFixed, onChoose }: Props) => {
  const { session } = usePage();
  const known = useSignal(session.tools);
  useEffect(() => void session.loadTools(), [session]);
  const group = useId();
  // Selected tools come first, in an order that stays while choosing.
  const [first] = useState(chosen ?? []);
  const all = [...new Set([...first, ...(known?.tools ?? []).map(({ name }) => name), ...(chosen ?? [])])];
  return (
    <Section title="Tools" {...(chosen ? { count: chosen.length } : {})}>
      <Quiet>Offered first. Whatever else there is can still be found and used by its name.</Quiet>
      <div role="radiogroup" aria-label="Tools" className="mt-1 grid gap-0.5 text-sm">
        <label className="flex min-h-9 items-center gap-2.5">
          <input
            type="radio"
            name={group}
            checked={chosen === null}
            className="size-4 accent-(--accent)"
            onChange={() => onChoose(null)}
          />
          Chosen by what is talked about
        </label>
        <label className="flex min-h-9 items-center gap-2.5">
          <input
            type="radio"
            name={group}
            checked={chosen !== null}
            className="size-4 accent-(--accent)"
            onChange={() => onChoose([])}
          />
          These
        </label>
      </div>
      {chosen !== null && (
        <Checks
          chosen={chosen}
          names={isFixed ? chosen : all}
          known={known === null ? null : new Set(known.tools.map(({ name }) => name))}
          isFixed={isFixed}
          onChoose={onChoose}
        />
      )}
    </Section>
  );
};

type ChecksProps = {
  readonly chosen: readonly string[];
  readonly names: readonly string[];
  readonly known: ReadonlySet<string> | null;
  readonly isFixed: boolean;
  readonly onChoose: (tools: readonly string[]) => void;
};

const Checks = ({ chosen, names, known, isFixed, onChoose }: ChecksProps) => {
  const [query, setQuery] = useState("");
  const shown = useMemo(() => {
    const text = query.trim().toLowerCase();
    return names.filter((name) => `${name} ${toToolTitle(name)}`.toLowerCase().includes(text));
  }, [names, query]);
  return (
    <div className="mt-1 grid gap-2 rounded-2xl bg-raised p-3">
      {!isFixed && (
        <input
          aria-label="Filter tools"
          placeholder="Filter tools"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className={fieldLook}
        />
      )}
      <div
        role="group"
        aria-label="Tools offered first"
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
                {name}
                {known?.has(name) === false && " · not there any more"}
              </span>
            </span>
          </label>
        ))}
      </div>
      {shown.length === 0 && <p className="px-1 text-sm text-soft">No tool fits that.</p>}
    </div>
  );
};
