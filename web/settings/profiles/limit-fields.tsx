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
import { limitNames, type FormErrors, type LimitName, type ProfileForm } from "./profile-form.ts";
import { own } from "../../lib/own.ts";
import { profileSettings as strings } from "../../strings/settings/profiles.ts";

type Props = {
  readonly form: ProfileForm;
  readonly errors: FormErrors;
  readonly bounds: ProfileLimits;
  readonly isReadOnly: boolean;
  readonly onEdit: (patch: Partial<ProfileForm>) => void;
};

/** Limits per answer. */
export const LimitFields = ({ form, errors, bounds, isReadOnly, onEdit }: Props) => (
  <Section title={strings.limits.title}>
    <Quiet>{strings.limits.about}</Quiet>
    <div className="mt-2 grid grid-cols-2 gap-3 sm:grid-cols-3">
      {limitNames.map((name) => (
        <Field
          key={name}
          label={strings.limits.fields[name].label}
          about={describeBound(name, bounds[name])}
          inputMode={name === "costUsd" ? "decimal" : "numeric"}
          value={form.limits[name]}
          fault={errors[name] ?? null}
          onChange={(event) => onEdit({ limits: { ...form.limits, [name]: event.target.value } })}
        />
      ))}
    </div>
    <PerTool form={form} error={errors.perTool ?? null} isReadOnly={isReadOnly} onEdit={onEdit} />
  </Section>
);

function describeBound(name: LimitName, max: number | null): string {
  const { about } = strings.limits.fields[name];
  if (max === null) return about;
  return name === "costUsd" ? strings.limits.atMost(`$${max}`) : strings.limits.aboutAtMost(about, groupDigits(max));
}

type PerToolProps = Pick<Props, "form" | "isReadOnly" | "onEdit"> & { readonly error: string | null };

const PerTool = ({ form: { perTool }, error, isReadOnly, onEdit }: PerToolProps) => {
  const { session } = usePage();
  const known = useSignal(session.tools);
  useEffect(() => void session.loadTools(), [session]);
  const names = [...new Set(["", ...(known?.tools ?? []).map(({ name }) => name), ...perTool.map(({ tool }) => tool)])];
  const labels = Object.fromEntries(
    names.map((name) => [name, name === "" ? strings.limits.chooseTool : toToolTitle(name)]),
  );
  const setRow = (index: number, row: ProfileForm["perTool"][number]) =>
    onEdit({ perTool: perTool.map((one, at) => (at === index ? row : one)) });
  if (isReadOnly && perTool.length === 0) return null;
  return (
    <div role="group" aria-label={strings.limits.perTool} className="mt-4 grid gap-2">
      <p className="text-xs font-medium text-soft">{strings.limits.perToolAbout}</p>
      {perTool.map(({ tool, count }, index) => (
        <div key={index} className="flex items-center gap-2">
          <Select
            label={strings.limits.tool(index + 1)}
            value={tool}
            choices={names}
            words={labels}
            className="flex-1 sm:max-w-72"
            onChoose={(next) => setRow(index, { tool: next, count })}
          />
          <input
            aria-label={strings.limits.callsOf(own(labels, tool) ?? tool)}
            inputMode="numeric"
            value={count}
            onChange={(event) => setRow(index, { tool, count: event.target.value })}
            className={`${fieldLook} max-w-20`}
          />
          {!isReadOnly && (
            <IconButton
              label={strings.limits.remove(own(labels, tool) ?? tool)}
              onClick={() => onEdit({ perTool: perTool.filter((_, at) => at !== index) })}
            >
              <X aria-hidden="true" className="size-4" />
            </IconButton>
          )}
        </div>
      ))}
      {error !== null && <p className="text-xs text-danger">{error}</p>}
      {!isReadOnly && (
        <button
          type="button"
          className="plain-button min-h-8 justify-self-start"
          onClick={() => onEdit({ perTool: [...perTool, { tool: "", count: "1" }] })}
        >
          <Plus aria-hidden="true" className="size-4" />
          {strings.limits.add}
        </button>
      )}
    </div>
  );
};
