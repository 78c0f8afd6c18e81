import { Plus, X } from "lucide-react";
import { useEffect } from "react";
import type { ProfileLimits } from "../../../protocol/settings/profiles.ts";
import { Select } from "../../ui/select.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { groupDigits } from "../../lib/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Field, fieldLook } from "../../ui/field.tsx";
import { toToolTitle } from "../tools/describe-tool.ts";
import { limitNames, type Faults, type LimitName, type ProfileForm } from "./profile-form.ts";
import { own } from "../../lib/own.ts";

type Props = {
  readonly form: ProfileForm;
  readonly faults: Faults;
  readonly bounds: ProfileLimits;
  readonly isFixed: boolean;
  readonly onEdit: (patch: Partial<ProfileForm>) => void;
};

/** Limits per answer. */
export const LimitFields = ({ form, faults, bounds, isFixed, onEdit }: Props) => (
  <Section title="Limits">
    <Quiet>How far one answer may go. At a limit it ends with what was gathered, and offers to go on.</Quiet>
    <div className="mt-2 grid grid-cols-2 gap-3 sm:grid-cols-3">
      {limitNames.map((name) => (
        <Field
          key={name}
          label={limitWords[name].label}
          about={describeBound(name, bounds[name])}
          inputMode={name === "costUsd" ? "decimal" : "numeric"}
          value={form.limits[name]}
          fault={faults[name] ?? null}
          onChange={(event) => onEdit({ limits: { ...form.limits, [name]: event.target.value } })}
        />
      ))}
    </div>
    <PerTool form={form} fault={faults.perTool ?? null} isFixed={isFixed} onEdit={onEdit} />
  </Section>
);

function describeBound(name: LimitName, most: number | null): string {
  const { about } = limitWords[name];
  if (most === null) return about;
  return name === "costUsd" ? `At most $${most}` : `${about}, at most ${groupDigits(most)}`;
}

type PerToolProps = Pick<Props, "form" | "isFixed" | "onEdit"> & { readonly fault: string | null };

const PerTool = ({ form: { perTool }, fault, isFixed, onEdit }: PerToolProps) => {
  const { session } = usePage();
  const known = useSignal(session.tools);
  useEffect(() => void session.loadTools(), [session]);
  const names = [...new Set(["", ...(known?.tools ?? []).map(({ name }) => name), ...perTool.map(({ tool }) => tool)])];
  const words = Object.fromEntries(names.map((name) => [name, name === "" ? "Choose a tool" : toToolTitle(name)]));
  const put = (index: number, row: ProfileForm["perTool"][number]) =>
    onEdit({ perTool: perTool.map((one, at) => (at === index ? row : one)) });
  if (isFixed && perTool.length === 0) return null;
  return (
    <div role="group" aria-label="Calls of single tools" className="mt-4 grid gap-2">
      <p className="text-xs font-medium text-soft">Calls of single tools, in one answer</p>
      {perTool.map(({ tool, count }, index) => (
        <div key={index} className="flex items-center gap-2">
          <Select
            label={`Tool ${index + 1}`}
            value={tool}
            choices={names}
            words={words}
            className="flex-1 sm:max-w-72"
            onChoose={(next) => put(index, { tool: next, count })}
          />
          <input
            aria-label={`Calls of ${own(words, tool) ?? tool}`}
            inputMode="numeric"
            value={count}
            onChange={(event) => put(index, { tool, count: event.target.value })}
            className={`${fieldLook} max-w-20`}
          />
          {!isFixed && (
            <IconButton
              label={`Remove the limit of ${own(words, tool) ?? tool}`}
              onClick={() => onEdit({ perTool: perTool.filter((_, at) => at !== index) })}
            >
              <X aria-hidden="true" className="size-4" />
            </IconButton>
          )}
        </div>
      ))}
      {fault !== null && <p className="text-xs text-danger">{fault}</p>}
      {!isFixed && (
        <button
          type="button"
          className="plain-button min-h-8 justify-self-start"
          onClick={() => onEdit({ perTool: [...perTool, { tool: "", count: "1" }] })}
        >
          <Plus aria-hidden="true" className="size-4" />
          Limit one tool
        </button>
      )}
    </div>
  );
};

const limitWords: Readonly<Record<LimitName, { readonly label: string; readonly about: string }>> = {
  steps: { label: "Steps", about: "Model calls in one answer" },
  calls: { label: "Tool calls", about: "In one answer" },
  tokens: { label: "Tokens", about: "Read and written in one answer" },
  seconds: { label: "Seconds", about: "From the question to the end" },
  costUsd: { label: "US dollars", about: "Empty: no limit" },
};
