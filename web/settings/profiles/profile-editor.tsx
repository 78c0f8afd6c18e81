import { ArrowLeft, Copy } from "lucide-react";
import { useId, useState } from "react";
import type { PolicyName } from "../../../protocol/context/policy.ts";
import { ApiError } from "../../../protocol/client.ts";
import type { ProfileLimits, ProfileView } from "../../../protocol/settings/profiles.ts";
import { policyWords } from "../../labels/context.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { Select } from "../../ui/select.tsx";
import { Quiet, Section } from "../../ui/section.tsx";
import { usePage } from "../../state/page.ts";
import { toSettingsPath } from "../../state/route.ts";
import { useRequest } from "../../lib/use-request.ts";
import { Field } from "../../ui/field.tsx";
import { useTyped } from "../../state/use-typed.ts";
import { Changed, SaveBar } from "./save-bar.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { ModelChoice } from "./model-choice.tsx";
import { findFaults, toChange, toForm, type ProfileForm } from "./profile-form.ts";
import { ToolChoice } from "./tool-choice.tsx";
import { useCopy } from "./use-copy.ts";
import { toProfileName } from "../../labels/profiles.ts";

type Props = {
  readonly profile: ProfileView;
  readonly bounds: ProfileLimits;
  readonly onChanged: () => void;
};

type UnsavedProfile = { readonly form: ProfileForm; readonly was: number };

const policies = Object.keys(policyWords) as readonly PolicyName[];
const policyNames = Object.fromEntries(policies.map((name) => [name, policyWords[name].name]));
/** The server's limits. */
const most = { name: 60, instructions: 20_000 };

/** One profile. Unsaved changes survive a reload; built-in profiles are read-only. */
export const ProfileEditor = ({ profile, bounds, onChanged }: Props) => {
  const { client } = usePage();
  const { id, builtIn, version } = profile;
  const [typed, type] = useTyped<UnsavedProfile>(`profile.${id}`);
  const [theirs, setTheirs] = useState<ProfileView | null>(null);
  const { state, send } = useRequest();
  const copy = useCopy(profile);
  const instructionsId = useId();
  const form = typed?.form ?? toForm(profile);
  const faults = findFaults(form, bounds);
  const edit = (patch: Partial<ProfileForm>) => type({ form: { ...form, ...patch }, was: typed?.was ?? version });
  const change = Object.keys(faults).length > 0 ? null : toChange(form, profile);

  const save = async (was = typed?.was ?? version) => {
    if (change === null) return type(null);
    const answer = await send(() =>
      client.changeProfile({ params: { profileId: id }, body: { was, ...change } }).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === "conflict") setTheirs(error.current as ProfileView);
        throw error;
      }),
    );
    if (!answer) return;
    type(null);
    setTheirs(null);
    onChanged();
  };
  const discard = () => {
    type(null);
    setTheirs(null);
    onChanged();
  };
  return (
    <form
      aria-label={toProfileName(profile)}
      className="grid gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="flex flex-wrap items-center gap-2">
        <a href={toSettingsPath("profiles")} className="plain-button min-h-8">
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
          All profiles
        </a>
        <h2 dir="auto" className="min-w-0 flex-1 truncate font-medium">
          {toProfileName(profile)}
        </h2>
        <ActButton act={copy} onDone={onChanged}>
          <Copy aria-hidden="true" className="size-3.5" />
          {builtIn ? "Make a copy to change it" : "Copy"}
        </ActButton>
      </div>
      <fieldset disabled={builtIn} className="grid min-w-0 gap-8">
        <legend className="sr-only">{builtIn ? "Built in: as it is" : "What can be changed"}</legend>
        {!builtIn && (
          <Field
            label="Name"
            dir="auto"
            maxLength={most.name}
            value={form.name}
            fault={faults.name ?? null}
            onChange={(event) => edit({ name: event.target.value })}
          />
        )}
        <div className="grid gap-1">
          <label htmlFor={instructionsId} className="text-sm font-semibold">
            Instructions
          </label>
          <Quiet>What the model is told before anything else, in every thread with this profile.</Quiet>
          <textarea
            id={instructionsId}
            dir="auto"
            rows={6}
            maxLength={most.instructions}
            value={form.instructions}
            onChange={(event) => edit({ instructions: event.target.value })}
            className="field-sizing-content max-h-[32rem] min-h-36 w-full resize-y rounded-2xl bg-raised px-4 py-3 text-sm leading-relaxed disabled:text-soft pointer-coarse:text-base"
          />
        </div>
        <Section title="Model">
          <Quiet>For threads started with it that name none.</Quiet>
          <ModelChoice value={form.model} onChoose={(model) => edit({ model })} />
        </Section>
        <ToolChoice chosen={form.tools} isFixed={builtIn} onChoose={(tools) => edit({ tools })} />
        <LimitFields form={form} faults={faults} bounds={bounds} isFixed={builtIn} onEdit={edit} />
        <Section title="Policy">
          <Quiet>How each prompt is chosen from the thread. A thread may choose another.</Quiet>
          <Select
            label="Policy"
            value={form.policy}
            choices={policies}
            words={policyNames}
            className="mt-1 w-full sm:w-60"
            onChoose={(policy) => edit({ policy })}
          />
          <Quiet>{policyWords[form.policy].about}</Quiet>
        </Section>
      </fieldset>
      {theirs && <Changed onMine={() => void save(theirs.version)} onTheirs={discard} />}
      {!builtIn && (
        <SaveBar
          state={state}
          isChanged={typed !== null && (change !== null || Object.keys(faults).length > 0)}
          hasFaults={Object.keys(faults).length > 0}
          onDiscard={discard}
        />
      )}
    </form>
  );
};
