import { KeyRound, Laptop, Smartphone } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { PersonDetails as Details } from "../../../protocol/account/person.ts";
import type { PersonLimits } from "../../../protocol/account/limits.ts";
import { toAmount } from "../../labels/cost.ts";
import { toSize } from "../../lib/format.ts";
import { toDay, toRelativeTime } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useNow } from "../../lib/use-now.ts";
import { usePage } from "../../state/page.ts";
import { accountSettings } from "../../strings/settings/account.ts";
import { keySettings } from "../../strings/settings/keys.ts";
import { personSettings as strings } from "../../strings/settings/person.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { Failed, Quiet, Waiting } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { describeDevice, isPhone } from "../account/device.ts";
import { Deletable } from "../deletable.tsx";
import { DeletePerson } from "./delete-person.tsx";
import { LimitsForm, noLimits } from "./limits-form.tsx";
import { OwnedProjects } from "./owned-projects.tsx";

type Props = {
  readonly userId: string;
  /** Admins cannot delete their own account. */
  readonly isMe: boolean;
  readonly onChanged: () => void;
};

/** Usage and limits of an account, its keys, sessions and shared projects. Contents are never shown. */
export const PersonDetails = ({ userId, isMe, onChanged }: Props) => {
  const { client } = usePage();
  const { state, reload } = useLoad(`person ${userId}`, (signal) => client.getPerson({ params: { userId } }, signal));
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed") return <Failed text={state.text} onRetry={reload} />;
  const details = state.value;
  return (
    <div className="grid gap-6 pt-2">
      <Usage details={details} />
      <Part title={strings.limits.title}>
        <OwnLimits
          details={details}
          onSave={(limits) => client.setPersonLimits({ params: { userId }, body: { limits } })}
        />
      </Part>
      <Part title={strings.keys.title}>
        <Keys details={details} onRevoked={reload} />
      </Part>
      <Part title={strings.sessions.title}>
        <Sessions details={details} onEnded={reload} />
      </Part>
      {details.projects.length > 0 && (
        <Part title={strings.projects.title}>
          <OwnedProjects userId={userId} projects={details.projects} onTransferred={reload} />
        </Part>
      )}
      {!isMe && <DeletePerson details={details} onDeleted={onChanged} />}
    </div>
  );
};

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div role="group" aria-label={title} className="min-w-0">
    <h4 className="mb-1 text-sm font-semibold">{title}</h4>
    {children}
  </div>
);

const Usage = ({ details: { spent, stored, limits } }: { readonly details: Details }) => {
  const { storageBytes } = limits.own ?? limits.ofRole;
  const bytes = toSize(stored.attachments + stored.files + stored.imports);
  const facts = [
    [strings.usage.today, toAmount(spent.dayUsd)],
    [strings.usage.month, toAmount(spent.monthUsd)],
    [strings.usage.stored, storageBytes === null ? bytes : strings.usage.storedOf(bytes, toSize(storageBytes))],
  ] as const;
  return (
    <Part title={strings.usage.title}>
      <dl className="grid gap-2 sm:grid-cols-3">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-soft">{name}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <Quiet>{strings.usage.about}</Quiet>
    </Part>
  );
};

type OwnLimitsProps = {
  readonly details: Details;
  readonly onSave: (limits: PersonLimits | null) => Promise<unknown>;
};

const OwnLimits = ({ details: { limits, person }, onSave }: OwnLimitsProps) => {
  const [source, setSource] = useState(limits.own === null ? ("role" as const) : ("own" as const));
  const [isStored, setStored] = useState(limits.own !== null);
  const label = `${strings.limits.title}: ${person.name}`;
  return (
    <div className="grid justify-items-start gap-3">
      <Select
        label={strings.limits.source}
        value={source}
        choices={["role", "own"] as const}
        words={strings.limits.sources}
        onChoose={setSource}
      />
      {source === "role" && isStored && (
        <ActButton act={() => onSave(null)} onDone={() => setStored(false)}>
          {strings.limits.save}
        </ActButton>
      )}
      {source === "own" && (
        <div className="w-full">
          <LimitsForm
            label={label}
            limits={limits.own ?? noLimits}
            onSave={async (next) => {
              const saved = await onSave(next);
              setStored(true);
              return saved;
            }}
          />
        </div>
      )}
    </div>
  );
};

const Keys = ({
  details: { person, keys },
  onRevoked,
}: {
  readonly details: Details;
  readonly onRevoked: () => void;
}) => {
  const { client } = usePage();
  const now = useNow();
  if (keys.length === 0) return <Quiet>{strings.keys.empty}</Quiet>;
  return (
    <ul aria-label={strings.keys.title} className="grid gap-2">
      {keys.map(({ id, name, start, usedAt }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Deletable
            label={keySettings.revoke(name)}
            title={keySettings.revokeTitle(name)}
            text={keySettings.revokeAbout}
            action={keySettings.revokeAction}
            send={() => client.revokePersonKey({ params: { userId: person.id, keyId: id } })}
            onDeleted={onRevoked}
          >
            {(button) => (
              <>
                <KeyRound aria-hidden="true" className="size-4 flex-none text-soft" />
                <div className="min-w-0 flex-1 text-sm">
                  <bdi className="wrap-anywhere">{name}</bdi>
                  <p className="text-xs text-soft">
                    <span dir="ltr" className="font-mono">
                      {start}…
                    </span>{" "}
                    · {usedAt === null ? keySettings.neverUsed : keySettings.used(toRelativeTime(usedAt, now))}
                  </p>
                </div>
                {button}
              </>
            )}
          </Deletable>
        </li>
      ))}
    </ul>
  );
};

type SessionsProps = { readonly details: Details; readonly onEnded: () => void };

const Sessions = ({ details: { person, sessions }, onEnded }: SessionsProps) => {
  const { client } = usePage();
  if (sessions.length === 0) return <Quiet>{strings.sessions.empty}</Quiet>;
  return (
    <ul aria-label={strings.sessions.title} className="grid gap-2">
      {sessions.map(({ id, agent, createdAt, address, current }) => {
        const Icon = isPhone(agent) ? Smartphone : Laptop;
        const device = describeDevice(agent);
        return (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Icon aria-hidden="true" className="size-4 flex-none text-soft" />
            <div className="min-w-0 flex-1 text-sm">
              <span title={agent} className="wrap-anywhere">
                {device}
              </span>
              <p className="text-xs text-soft">
                {accountSettings.sessions.since(toDay(createdAt))}
                {address !== "" && (
                  <>
                    {" "}
                    <bdi>{accountSettings.sessions.from(address)}</bdi>
                  </>
                )}
              </p>
            </div>
            {!current && (
              <ActButton
                label={strings.sessions.endFor(device)}
                act={() => client.endPersonSession({ params: { userId: person.id, sessionId: id } })}
                onDone={onEnded}
              >
                {strings.sessions.end}
              </ActButton>
            )}
          </li>
        );
      })}
    </ul>
  );
};
