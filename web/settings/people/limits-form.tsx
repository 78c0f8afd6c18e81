import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import type { PersonLimits } from "../../../protocol/account/limits.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { personSettings } from "../../strings/settings/person.ts";
import { Field } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Select } from "../../ui/select.tsx";

const strings = personSettings.limits;
const MEGABYTE = 1_000_000;
const MODEL = /^[^\s/]+\/\S+$/;

export const noLimits: PersonLimits = { dayUsd: null, monthUsd: null, models: null, storageBytes: null };

type Props = {
  readonly label: string;
  readonly limits: PersonLimits;
  /** Saves them; rejects with the server's reason. */
  readonly onSave: (limits: PersonLimits) => Promise<unknown>;
};

/** Budgets, storage and models of a role or an account. An empty field is no limit. */
export const LimitsForm = ({ label, limits, onSave }: Props) => {
  const [day, setDay] = useState(toText(limits.dayUsd));
  const [month, setMonth] = useState(toText(limits.monthUsd));
  const [storage, setStorage] = useState(limits.storageBytes === null ? "" : String(limits.storageBytes / MEGABYTE));
  const [models, setModels] = useState(limits.models);
  const { state, send } = useRequest();
  const [dayUsd, monthUsd, megabytes] = [toNumber(day), toNumber(month), toNumber(storage)];
  const dayFault = isAmount(dayUsd) ? null : strings.notANumber;
  const monthFault = isAmount(monthUsd) ? null : strings.notANumber;
  const storageFault = Number.isNaN(megabytes) ? strings.notASize : null;
  const isValid = dayFault === null && monthFault === null && storageFault === null;
  const save = async () => {
    if (!isValid) return;
    const storageBytes = megabytes === null ? null : Math.round(megabytes * MEGABYTE);
    await send(() => onSave({ dayUsd, monthUsd, storageBytes, models }));
  };
  const number = { inputMode: "decimal", autoComplete: "off", placeholder: strings.unlimited } as const;
  return (
    <form
      aria-label={label}
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label={strings.day} {...number} value={day} fault={dayFault} onChange={(e) => setDay(e.target.value)} />
        <Field
          label={strings.month}
          {...number}
          value={month}
          fault={monthFault}
          onChange={(event) => setMonth(event.target.value)}
        />
        <Field
          label={strings.storage}
          {...number}
          value={storage}
          fault={storageFault}
          onChange={(event) => setStorage(event.target.value)}
        />
      </div>
      <AllowedModels models={models} onChange={setModels} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <FormMessage state={state} done={strings.saved} />
        <button type="submit" className="plain-button" disabled={!isValid || state.name === "sending"}>
          {strings.save}
        </button>
      </div>
    </form>
  );
};

type ModelsProps = {
  readonly models: PersonLimits["models"];
  readonly onChange: (models: PersonLimits["models"]) => void;
};

const AllowedModels = ({ models, onChange }: ModelsProps) => {
  const { client } = usePage();
  const listId = useId();
  const [text, setText] = useState("");
  const [isWrong, setWrong] = useState(false);
  const known = useLoad(models === null ? null : "models", (signal) => client.listModels({ params: {} }, signal)).state;
  const ids = known.phase === "ready" ? known.value.models.filter((one) => one.available).map(({ id }) => id) : [];
  const choices = [...new Set(ids.map((id) => `${id.slice(0, id.indexOf("/"))}/*`)), ...ids];
  const add = () => {
    const model = text.trim();
    setWrong(!MODEL.test(model));
    if (models === null || !MODEL.test(model)) return;
    onChange([...new Set([...models, model])]);
    setText("");
  };
  return (
    <div className="grid justify-items-start gap-2">
      <span aria-hidden="true" className="text-xs font-medium text-soft">
        {strings.models}
      </span>
      <Select
        label={strings.models}
        value={models === null ? "all" : "some"}
        choices={["all", "some"] as const}
        words={strings.modelChoices}
        onChoose={(choice) => onChange(choice === "all" ? null : (models ?? []))}
      />
      {models !== null && (
        <>
          {models.length === 0 && <p className="text-xs text-soft">{strings.noModels}</p>}
          <ul aria-label={strings.modelList} className="flex flex-wrap gap-1.5 empty:hidden">
            {models.map((model) => (
              <li key={model} className="flex items-center gap-1 rounded-lg bg-hover ps-2.5 text-sm">
                <bdi className="wrap-anywhere">{model}</bdi>
                <IconButton
                  label={strings.remove(model)}
                  onClick={() => onChange(models.filter((one) => one !== model))}
                >
                  <X aria-hidden="true" className="size-3.5" />
                </IconButton>
              </li>
            ))}
          </ul>
          <Field
            look="w-full"
            label={strings.addModel}
            about={strings.addModelAbout}
            fault={isWrong ? strings.addModelMismatch : null}
            list={listId}
            dir="ltr"
            autoComplete="off"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setWrong(false);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              add();
            }}
          >
            <button type="button" className="plain-button flex-none" onClick={add}>
              <Plus aria-hidden="true" className="size-4" />
              {strings.add}
            </button>
          </Field>
          <datalist id={listId}>
            {choices.map((id) => (
              <option key={id} value={id} />
            ))}
          </datalist>
        </>
      )}
    </div>
  );
};

const toText = (value: number | null): string => (value === null ? "" : String(value));

/** null: empty. NaN: not a number of 0 or more. */
function toNumber(text: string): number | null {
  const trimmed = text
    .trim()
    .replace(/^\$\s*/, "")
    .replace(",", ".");
  if (trimmed === "") return null;
  return /^\d{1,9}(?:\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

const isAmount = (value: number | null): boolean => value === null || (value > 0 && value <= 1_000_000);
