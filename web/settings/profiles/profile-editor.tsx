import { ArrowLeft, ChevronDown, Copy } from "lucide-react";
import { useId, useState } from "react";
import { policyWindows, type PolicyName } from "../../../protocol/context/policy.ts";
import { ResponseError } from "../../../protocol/client.ts";
import type { ProfileLimits, ProfileView } from "../../../protocol/settings/profiles.ts";
import { longestMessage } from "../../api/limits.ts";
import { policyWords } from "../../labels/context.ts";
import { sortModels, toPrice, toProvider } from "../../labels/model.ts";
import { toProfileName } from "../../labels/profiles.ts";
import { createId } from "../../lib/ids.ts";
import { useSignal } from "../../lib/signal.ts";
import { useRequest, type RequestState } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { toSettingsPath } from "../../state/route.ts";
import { useFormDraft } from "../../state/use-form-draft.ts";
import { actions } from "../../strings/actions.ts";
import { composer } from "../../strings/composer.ts";
import { profileSettings as strings } from "../../strings/settings/profiles.ts";
import { Field, fieldLook } from "../../ui/field.tsx";
import { groupDigits } from "../../lib/format.ts";
import { FormMessage } from "../../ui/form-message.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { toChange, toForm, validateForm, type FormErrors, type ProfileForm, type WindowName } from "./profile-form.ts";
import { ToolChoice } from "./tool-choice.tsx";

type Props = {
  readonly profile: ProfileView;
  /** The profile is copied and edited; the copy is created when it is saved. */
  readonly isCopy: boolean;
  readonly bounds: ProfileLimits;
  readonly onChanged: () => void;
};

const copyPrefix = "copy-";
export const toCopyPath = (profileId: string): string => toSettingsPath("profiles", copyPrefix + profileId);

/** The profile that this route copies. */
export const findCopied = (profiles: readonly ProfileView[], openId: string): ProfileView | null =>
  profiles.find(({ id }) => openId === copyPrefix + id) ?? null;

const toCopy = (profile: ProfileView): ProfileView => {
  const room = maxLength.name - strings.copyName("").length;
  return { ...profile, name: strings.copyName(toProfileName(profile).slice(0, room)), builtIn: false };
};

/** One profile. Unsaved changes survive a reload; built-in profiles are read-only. */
export const ProfileEditor = ({ profile: named, isCopy, bounds, onChanged }: Props) => {
  const profile = isCopy ? toCopy(named) : named;
  const props = { profile, isCopy, bounds, onChanged };
  const { form, errors, state, conflict, isChanged, edit, save, discard } = useProfileForm(props);
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
      <Header profile={profile} isCopy={isCopy} />
      <ProfileFields
        source={profile.from ?? profile.id}
        form={form}
        errors={errors}
        bounds={bounds}
        isReadOnly={profile.builtIn}
        onEdit={edit}
      />
      {conflict && <Conflict onSave={() => void save(conflict.version)} onDiscard={discard} />}
      {!profile.builtIn && (
        <SaveBar state={state} isCopy={isCopy} isChanged={isChanged} hasErrors={hasErrors} onDiscard={discard} />
      )}
    </form>
  );
};

type UnsavedProfile = { readonly form: ProfileForm; readonly was: number };

function useProfileForm({ profile, isCopy, bounds, onChanged }: Props) {
  const { client, go } = usePage();
  const { id, version } = profile;
  const [copyId] = useState(createId);
  const [unsaved, setUnsaved] = useFormDraft<UnsavedProfile>(`profile.${isCopy ? copyPrefix : ""}${id}`);
  // The version saved elsewhere while this one was edited.
  const [conflict, setConflict] = useState<ProfileView | null>(null);
  const { state, send } = useRequest();
  const stored = toForm(profile);
  // An unsaved form may have been stored by an earlier version, without some of the numbers.
  const form = unsaved ? { ...unsaved.form, window: { ...stored.window, ...unsaved.form.window } } : stored;
  const errors = validateForm(form, bounds);
  const hasErrors = Object.keys(errors).length > 0;
  const change = hasErrors ? null : toChange(form, profile);
  const edit = (patch: Partial<ProfileForm>) =>
    setUnsaved({ form: { ...form, ...patch }, was: unsaved?.was ?? version });
  const discard = () => {
    setUnsaved(null);
    setConflict(null);
    if (isCopy) go(toSettingsPath("profiles"));
    else onChanged();
  };
  const create = async () => {
    const body = { ...change, name: form.name.trim(), id: copyId, from: id };
    if (!(await send(() => client.createProfile({ params: {}, body })))) return;
    setUnsaved(null);
    onChanged();
    go(toSettingsPath("profiles", copyId));
  };
  const save = async (was = unsaved?.was ?? version) => {
    if (isCopy) return create();
    if (change === null) return setUnsaved(null);
    const response = await send(() =>
      client.changeProfile({ params: { profileId: id }, body: { was, ...change } }).catch((error: unknown) => {
        if (error instanceof ResponseError && error.code === "conflict") setConflict(error.current as ProfileView);
        throw error;
      }),
    );
    if (response) discard();
  };
  const isChanged = isCopy || (unsaved !== null && (change !== null || hasErrors));
  return { form, errors, state, conflict, isChanged, edit, save, discard } as const;
}

const Header = ({ profile, isCopy }: Pick<Props, "profile" | "isCopy">) => (
  <div className="flex flex-wrap items-center gap-2">
    <a href={toSettingsPath("profiles")} className="plain-button min-h-8">
      <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
      {strings.all}
    </a>
    <h2 dir="auto" className="min-w-0 flex-1 truncate font-medium">
      {toProfileName(profile)}
    </h2>
    {!isCopy && (
      <a href={toCopyPath(profile.id)} className="plain-button">
        <Copy aria-hidden="true" className="size-3.5" />
        {profile.builtIn ? strings.editor.copyToEdit : strings.copy}
      </a>
    )}
  </div>
);

/** The numbers that a policy uses, with their defaults. `source`: the built-in profile that this one was copied from. */
function listWindow(
  policy: PolicyName,
  source: string,
): readonly { readonly name: WindowName; readonly standard: number }[] {
  const { messages, characters } = policyWindows[policy];
  return [
    ...(messages === null ? [] : [{ name: "messages" as const, standard: messages }]),
    ...(characters === null ? [] : [{ name: "characters" as const, standard: characters }]),
    { name: "pageCharacters", standard: PAGE_CHARACTERS },
    { name: "messageCharacters", standard: longestMessage(source) },
  ];
}
/** The server's default, unless the operator set another. */
const PAGE_CHARACTERS = 12_000;

const policies = Object.keys(policyWords) as readonly PolicyName[];
const policyNames = Object.fromEntries(policies.map((name) => [name, policyWords[name].name]));
/** The server's limits. */
const maxLength = { name: 60, instructions: 20_000 };

type FieldsProps = {
  readonly source: string;
  readonly form: ProfileForm;
  readonly errors: FormErrors;
  readonly bounds: ProfileLimits;
  readonly isReadOnly: boolean;
  readonly onEdit: (patch: Partial<ProfileForm>) => void;
};

const ProfileFields = ({ source, form, errors, bounds, isReadOnly, onEdit }: FieldsProps) => {
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
        <div className="mt-3 grid grid-cols-2 gap-3 sm:grid-cols-3">
          {listWindow(form.policy, source).map(({ name, standard }) => (
            <Field
              key={name}
              label={strings.window[name]}
              inputMode="numeric"
              placeholder={groupDigits(standard)}
              value={form.window[name]}
              fault={errors[name] ?? null}
              onChange={(event) => onEdit({ window: { ...form.window, [name]: event.target.value } })}
            />
          ))}
        </div>
      </Section>
    </fieldset>
  );
};

/** More models than fit into view get a filter. */
const mostUnfiltered = 20;

type ModelChoiceProps = { readonly value: string | null; readonly onChoose: (model: string | null) => void };

/** Usable models by provider; a chosen model that is no longer usable stays listed. */
const ModelChoice = ({ value, onChoose }: ModelChoiceProps) => {
  const { session } = usePage();
  const models = useSignal(session.models).filter(({ available, id }) => available || id === value);
  const isKnown = value === null || models.some(({ id }) => id === value);
  const [query, setQuery] = useState("");
  const fitting = new Set(sortModels(models, query));
  const shown = models.filter((model) => fitting.has(model) || model.id === value);
  return (
    <div className="mt-1 grid gap-1.5 sm:w-96">
      {models.length > mostUnfiltered && (
        <input
          type="search"
          aria-label={composer.model.filter}
          placeholder={composer.model.filter}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          className={fieldLook}
        />
      )}
      <span className="relative inline-flex w-full min-w-0 items-center">
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
          {[...Map.groupBy(shown, toProvider)].map(([provider, members]) => (
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
    </div>
  );
};

type SaveBarProps = {
  readonly state: RequestState;
  readonly isCopy: boolean;
  readonly isChanged: boolean;
  readonly hasErrors: boolean;
  readonly onDiscard: () => void;
};

/** Sticky bar, visible while there are unsaved changes. */
const SaveBar = ({ state, isCopy, isChanged, hasErrors, onDiscard }: SaveBarProps) => {
  if (!isChanged) return <FormMessage state={state.name === "failed" ? { name: "idle" } : state} />;
  return (
    <div className="sticky bottom-4 z-10 flex flex-wrap items-center gap-2 rounded-2xl bg-raised px-4 py-3 shadow-float">
      <p className="min-w-0 flex-1 text-sm text-soft">
        {hasErrors ? (
          <button
            type="button"
            className="text-start underline underline-offset-2 hover:text-ink"
            onClick={({ currentTarget: { form } }) => {
              const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
              field?.focus();
              // Scrolls the field out from under the bar.
              field?.scrollIntoView({ block: "center" });
            }}
          >
            {strings.saveBar.invalid}
          </button>
        ) : isCopy ? (
          strings.saveBar.copy
        ) : (
          strings.saveBar.unsaved
        )}
      </p>
      <FormMessage state={state.name === "done" ? { name: "idle" } : state} />
      <button type="button" className="plain-button" onClick={onDiscard}>
        {isCopy ? actions.cancel : actions.discard}
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
