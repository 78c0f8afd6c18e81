import { ArrowLeft, ChevronDown, Copy } from "lucide-react";
import { useId, useState } from "react";
import type { PolicyName } from "../../../protocol/context/policy.ts";
import { ResponseError } from "../../../protocol/client.ts";
import type { ProfileLimits, ProfileView } from "../../../protocol/settings/profiles.ts";
import { policyWords } from "../../labels/context.ts";
import { toPrice, toProvider } from "../../labels/model.ts";
import { toProfileName } from "../../labels/profiles.ts";
import { useSignal } from "../../lib/signal.ts";
import { useRequest, type RequestState } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { toSettingsPath } from "../../state/route.ts";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { actions } from "../../strings/actions.ts";
import { profileSettings as strings } from "../../strings/settings/profiles.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { Field } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { toChange, toForm, validateForm, type FormErrors, type ProfileForm } from "./profile-form.ts";
import { ToolChoice } from "./tool-choice.tsx";
import { useCopy } from "./use-copy.ts";

type Props = {
  readonly profile: ProfileView;
  readonly bounds: ProfileLimits;
  readonly onChanged: () => void;
};

/** One profile. Unsaved changes survive a reload; built-in profiles are read-only. */
export const ProfileEditor = ({ profile, bounds, onChanged }: Props) => {
  const { form, errors, state, conflict, isChanged, edit, save, discard } = useProfileForm(profile, bounds, onChanged);
  const hasErrors = Object.keys(errors).length > 0;
  return (
    <form
      aria-label={toProfileName(profile)}
      className="grid gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Header profile={profile} onChanged={onChanged} />
      <ProfileFields form={form} errors={errors} bounds={bounds} isReadOnly={profile.builtIn} onEdit={edit} />
      {conflict && <Conflict onSave={() => void save(conflict.version)} onDiscard={discard} />}
      {!profile.builtIn && <SaveBar state={state} isChanged={isChanged} hasErrors={hasErrors} onDiscard={discard} />}
    </form>
  );
};

type UnsavedProfile = { readonly form: ProfileForm; readonly was: number };

function useProfileForm(profile: ProfileView, bounds: ProfileLimits, onChanged: () => void) {
  const { client } = usePage();
  const { id, version } = profile;
  const [unsaved, setUnsaved] = useFormDraft<UnsavedProfile>(`profile.${id}`);
  // The version saved elsewhere while this one was edited.
  const [conflict, setConflict] = useState<ProfileView | null>(null);
  const { state, send } = useRequest();
  const form = unsaved?.form ?? toForm(profile);
  const errors = validateForm(form, bounds);
  const hasErrors = Object.keys(errors).length > 0;
  const change = hasErrors ? null : toChange(form, profile);
  const edit = (patch: Partial<ProfileForm>) =>
    setUnsaved({ form: { ...form, ...patch }, was: unsaved?.was ?? version });
  const discard = () => {
    setUnsaved(null);
    setConflict(null);
    onChanged();
  };
  const save = async (was = unsaved?.was ?? version) => {
    if (change === null) return setUnsaved(null);
    const response = await send(() =>
      client.changeProfile({ params: { profileId: id }, body: { was, ...change } }).catch((error: unknown) => {
        if (error instanceof ResponseError && error.code === "conflict") setConflict(error.current as ProfileView);
        throw error;
      }),
    );
    if (response) discard();
  };
  const isChanged = unsaved !== null && (change !== null || hasErrors);
  return { form, errors, state, conflict, isChanged, edit, save, discard } as const;
}

const Header = ({ profile, onChanged }: Pick<Props, "profile" | "onChanged">) => {
  const copy = useCopy(profile);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <a href={toSettingsPath("profiles")} className="plain-button min-h-8">
        <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
        {strings.all}
      </a>
      <h2 dir="auto" className="min-w-0 flex-1 truncate font-medium">
        {toProfileName(profile)}
      </h2>
      <ActButton act={copy} onDone={onChanged}>
        <Copy aria-hidden="true" className="size-3.5" />
        {profile.builtIn ? strings.editor.copyToEdit : strings.copy}
      </ActButton>
    </div>
  );
};

const policies = Object.keys(policyWords) as readonly PolicyName[];
const policyNames = Object.fromEntries(policies.map((name) => [name, policyWords[name].name]));
/** The server's limits. */
const maxLength = { name: 60, instructions: 20_000 };

type FieldsProps = {
  readonly form: ProfileForm;
  readonly errors: FormErrors;
  readonly bounds: ProfileLimits;
  readonly isReadOnly: boolean;
  readonly onEdit: (patch: Partial<ProfileForm>) => void;
};

const ProfileFields = ({ form, errors, bounds, isReadOnly, onEdit }: FieldsProps) => {
  const instructionsId = useId();
  return (
    <fieldset disabled={isReadOnly} className="grid min-w-0 gap-8">
      <legend className="sr-only">{isReadOnly ? strings.editor.readOnly : strings.editor.fields}</legend>
      {!isReadOnly && (
        <Field
          label={strings.editor.name}
          dir="auto"
          maxLength={maxLength.name}
          value={form.name}
          fault={errors.name ?? null}
          onChange={(event) => onEdit({ name: event.target.value })}
        />
      )}
      <div className="grid gap-1">
        <label htmlFor={instructionsId} className="text-sm font-semibold">
          {strings.editor.instructions}
        </label>
        <Quiet>{strings.editor.instructionsAbout}</Quiet>
        <textarea
          id={instructionsId}
          dir="auto"
          rows={6}
          maxLength={maxLength.instructions}
          value={form.instructions}
          onChange={(event) => onEdit({ instructions: event.target.value })}
          className="field-sizing-content max-h-[32rem] min-h-36 w-full resize-y rounded-2xl bg-raised px-4 py-3 text-sm leading-relaxed disabled:text-soft pointer-coarse:text-base"
        />
      </div>
      <Section title={strings.editor.model}>
        <Quiet>{strings.editor.modelAbout}</Quiet>
        <ModelChoice value={form.model} onChoose={(model) => onEdit({ model })} />
      </Section>
      <ToolChoice chosen={form.tools} isReadOnly={isReadOnly} onChoose={(tools) => onEdit({ tools })} />
      <LimitFields form={form} errors={errors} bounds={bounds} isReadOnly={isReadOnly} onEdit={onEdit} />
      <Section title={strings.editor.policy}>
        <Quiet>{strings.editor.policyAbout}</Quiet>
        <Select
          label={strings.editor.policy}
          value={form.policy}
          choices={policies}
          words={policyNames}
          className="mt-1 w-full sm:w-60"
          onChoose={(policy) => onEdit({ policy })}
        />
        <Quiet>{policyWords[form.policy].about}</Quiet>
      </Section>
    </fieldset>
  );
};

type ModelChoiceProps = { readonly value: string | null; readonly onChoose: (model: string | null) => void };

/** Usable models by provider; a chosen model that is no longer usable stays listed. */
const ModelChoice = ({ value, onChoose }: ModelChoiceProps) => {
  const { session } = usePage();
  const models = useSignal(session.models).filter(({ available, id }) => available || id === value);
  const isKnown = value === null || models.some(({ id }) => id === value);
  return (
    <span className="relative mt-1 inline-flex w-full min-w-0 items-center sm:w-96">
      <select
        aria-label={strings.editor.model}
        value={value ?? ""}
        onChange={(event) => onChoose(event.target.value === "" ? null : event.target.value)}
        className="min-h-9 w-full min-w-0 cursor-pointer appearance-none truncate rounded-xl bg-hover py-1 ps-3 pe-8 text-sm hover:bg-press disabled:cursor-default disabled:hover:bg-hover pointer-coarse:min-h-11"
      >
        <option value="" className="bg-raised text-ink">
          {strings.editor.defaultModel}
        </option>
        {!isKnown && <option value={value}>{strings.editor.missingModel(value)}</option>}
        {[...Map.groupBy(models, toProvider)].map(([provider, members]) => (
          <optgroup key={provider} label={provider} className="bg-raised text-ink">
            {members.map((model) => (
              <option key={model.id} value={model.id}>
                {strings.editor.modelWithPrice(model.name, model.free ? strings.editor.free : toPrice(model))}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <ChevronDown aria-hidden="true" className="pointer-events-none absolute end-2.5 size-4 text-soft" />
    </span>
  );
};

type SaveBarProps = {
  readonly state: RequestState;
  readonly isChanged: boolean;
  readonly hasErrors: boolean;
  readonly onDiscard: () => void;
};

/** Sticky bar, visible while there are unsaved changes. */
const SaveBar = ({ state, isChanged, hasErrors, onDiscard }: SaveBarProps) => {
  if (!isChanged) return <FormMessage state={state.name === "failed" ? { name: "idle" } : state} />;
  return (
    <div className="sticky bottom-4 z-10 flex flex-wrap items-center gap-2 rounded-2xl bg-raised px-4 py-3 shadow-float">
      <p className="min-w-0 flex-1 text-sm text-soft">
        {hasErrors ? strings.saveBar.invalid : strings.saveBar.unsaved}
      </p>
      <FormMessage state={state.name === "done" ? { name: "idle" } : state} />
      <button type="button" className="plain-button" onClick={onDiscard}>
        {actions.discard}
      </button>
      <button type="submit" className="plain-button strong-button" disabled={hasErrors || state.name === "sending"}>
        {actions.save}
      </button>
    </div>
  );
};

type ConflictProps = { readonly onSave: () => void; readonly onDiscard: () => void };

/** The profile was changed elsewhere while it was edited here. */
const Conflict = ({ onSave, onDiscard }: ConflictProps) => (
  <div role="alert" className="grid gap-3 rounded-2xl bg-warn-wash px-4 py-3 text-sm">
    <p>{strings.saveBar.conflict}</p>
    <div className="flex flex-wrap gap-2">
      <button type="button" className="plain-button" onClick={onSave}>
        {strings.saveBar.saveMine}
      </button>
      <button type="button" className="plain-button" onClick={onDiscard}>
        {strings.saveBar.discardMine}
      </button>
    </div>
  </div>
);
