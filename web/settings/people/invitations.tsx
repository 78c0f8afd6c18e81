import { MailPlus, UserPlus } from "lucide-react";
import { useState } from "react";
import type { Invitation, Person } from "../../../protocol/account/people.ts";
import { toDay, toMoment } from "../../lib/time.ts";
import { useLoad } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { outsideSignIn } from "../../strings/account/outside.ts";
import { peopleSettings } from "../../strings/settings/people.ts";
import { Badge } from "../../ui/badge.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { Deletable } from "../deletable.tsx";
import { ShownOnce } from "../shown-once.tsx";
import { InvitationForm, type CreatedInvitation } from "./invitation-form.tsx";

const strings = peopleSettings.invitations;

/** Open invitations, and the form for another one. */
export const Invitations = ({ people }: { readonly people: readonly Person[] }) => {
  const { client } = usePage();
  const { state, reload } = useLoad("invitations", (signal) => client.listInvitations({ params: {} }, signal));
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  const all = state.phase === "ready" ? state.value.invitations : [];
  const toName = (id: string) => people.find((person) => person.id === id)?.name;
  return (
    <Section title={strings.title} count={all.length}>
      <Quiet>{strings.about}</Quiet>
      {created && (
        <ShownOnce
          title={created.invitation.email === null ? strings.created : strings.createdFor(created.invitation.email)}
          about={describeCreated(created)}
          label={strings.link}
          copyLabel={peopleSettings.copyLink}
          secret={location.origin + created.path}
          onDone={() => setCreated(null)}
        />
      )}
      {state.phase === "loading" && <Waiting />}
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      <ul aria-label={strings.list} className="mt-1 grid gap-2 empty:hidden">
        {all.map((invitation) => (
          <li key={invitation.id}>
            <InvitationRow
              invitation={invitation}
              creator={toName(invitation.createdBy)}
              onRevoked={() => {
                if (created?.invitation.id === invitation.id) setCreated(null);
                reload();
              }}
            />
          </li>
        ))}
      </ul>
      {isAdding ? (
        <InvitationForm
          onClose={() => setAdding(false)}
          onCreated={(next) => {
            setCreated(next);
            setAdding(false);
            reload();
          }}
        />
      ) : (
        <button type="button" className="plain-button mt-2" onClick={() => setAdding(true)}>
          <UserPlus aria-hidden="true" className="size-4" />
          {strings.add}
        </button>
      )}
    </Section>
  );
};

function describeCreated({ invitation: { email, expiresAt }, isMailed }: CreatedInvitation): string {
  const about = strings.shownOnce(toMoment(expiresAt));
  return isMailed && email !== null ? `${about} ${outsideSignIn.invitation.mailed(email)}` : about;
}

type RowProps = {
  readonly invitation: Invitation;
  readonly creator: string | undefined;
  readonly onRevoked: () => void;
};

const InvitationRow = ({ invitation, creator, onRevoked }: RowProps) => {
  const { client } = usePage();
  const { id, email, role, expiresAt } = invitation;
  const name = email ?? strings.anyone;
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-2 rounded-2xl bg-raised px-4 py-3">
      <Deletable
        label={strings.revoke(name)}
        title={strings.revokeTitle}
        text={strings.revokeAbout}
        action={strings.revokeAction}
        send={() => client.revokeInvitation({ params: { invitationId: id } })}
        onDeleted={onRevoked}
      >
        {(button) => (
          <>
            <MailPlus aria-hidden="true" className="mt-1 size-4 flex-none text-soft" />
            <div className="min-w-0 flex-1">
              <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
                <bdi className="wrap-anywhere">{name}</bdi>
                {role === "admin" && <Badge tone="warn">{peopleSettings.roles.admin}</Badge>}
              </h3>
              <p className="text-xs wrap-anywhere text-soft">
                {strings.expires(toDay(expiresAt))}
                {creator !== undefined && ` · ${strings.by(creator)}`}
              </p>
            </div>
            {button}
          </>
        )}
      </Deletable>
    </div>
  );
};
