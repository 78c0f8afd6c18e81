import { ChevronRight } from "lucide-react";
import { useState } from "react";
import type { BodyInput } from "../../../protocol/api.ts";
import type { Person } from "../../../protocol/account/people.ts";
import { toMoment, toRelativeTime } from "../../lib/time.ts";
import { useNow } from "../../lib/use-now.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { factors as factorTexts } from "../../strings/account/factors.ts";
import { peopleSettings as strings } from "../../strings/settings/people.ts";
import { personSettings } from "../../strings/settings/person.ts";
import { toAmount } from "../../labels/cost.ts";
import { Badge } from "../../ui/badge.tsx";
import Confirm from "../../ui/confirm.tsx";
import { ShownOnce } from "../shown-once.tsx";
import { PersonDetails } from "./person-details.tsx";
import { PersonMenu, type PersonAction } from "./person-menu.tsx";

const factors = factorTexts.person;

type Props = { readonly person: Person; readonly isMe: boolean; readonly onChanged: () => void };
type ResetLink = { readonly path: string; readonly expiresAt: number };

/** One account with its state and the actions of admins. Dangerous ones are confirmed. */
export const PersonRow = ({ person, isMe, onChanged }: Props) => {
  const [asked, setAsked] = useState<Exclude<PersonAction, "restore"> | null>(null);
  const [isOpen, setOpen] = useState(false);
  const { acts, state, note, setNote, link, setLink } = usePersonActions(person, onChanged);
  const { id, name } = person;
  const start = (action: PersonAction) => {
    setNote("");
    if (action === "restore") void acts.restore();
    else setAsked(action);
  };
  return (
    <div className="rounded-2xl bg-raised px-4 py-3">
      <div className="flex items-start gap-3">
        <Initial person={person} />
        <div className="min-w-0 flex-1">
          <Summary person={person} isMe={isMe} />
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={personSettings.details(name)}
            className="mt-1 inline-flex min-h-8 items-center gap-1 rounded-lg text-sm text-soft hover:text-ink pointer-coarse:min-h-11"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight
              aria-hidden="true"
              className={`size-4 transition-transform ${isOpen ? "rotate-90" : "rtl:-scale-x-100"}`}
            />
            {personSettings.show}
          </button>
        </div>
        <PersonMenu person={person} isMe={isMe} onAction={start} />
      </div>
      {isOpen && <PersonDetails userId={id} isMe={isMe} onChanged={onChanged} />}
      <p role="status" className="text-sm text-soft not-empty:mt-2">
        {note}
      </p>
      {state.name === "failed" && (
        <p role="alert" className="mt-2 text-sm text-danger">
          {state.text}
        </p>
      )}
      {link && (
        <ShownOnce
          title={strings.reset.title(name)}
          about={strings.reset.about(toMoment(link.expiresAt))}
          label={strings.reset.link}
          copyLabel={strings.copyLink}
          secret={location.origin + link.path}
          onDone={() => setLink(null)}
        />
      )}
      {asked && (
        <Confirm
          title={strings.confirm[asked].title(name)}
          text={strings.confirm[asked].text}
          action={strings.confirm[asked].action}
          onConfirm={() => void acts[asked]()}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
};

/** Actions of admins on an account, and their results. */
function usePersonActions(person: Person, onChanged: () => void) {
  const { client } = usePage();
  const [note, setNote] = useState("");
  const [link, setLink] = useState<ResetLink | null>(null);
  const { state, send } = useRequest();
  const { id, name } = person;
  const params = { userId: id };

  const change = async (body: BodyInput<"changePerson">) => {
    const answer = await send(() => client.changePerson({ params, body }));
    if (answer) onChanged();
    return answer !== undefined;
  };
  const acts: Readonly<Record<PersonAction, () => Promise<unknown>>> = {
    makeAdmin: () => change({ role: "admin" }),
    makeMember: () => change({ role: "member" }),
    suspend: () => change({ state: "suspended" }),
    restore: async () => {
      if (await change({ state: "active" })) setNote(strings.restored(name));
    },
    signOut: async () => {
      const answer = await send(() => client.signOutPerson({ params, body: {} }));
      if (answer) setNote(strings.signedOut(name, answer.ended));
    },
    removeFactors: async () => {
      if (!(await send(() => client.removeFactors({ params })))) return;
      setNote(strings.factorsRemoved(name));
      onChanged();
    },
    resetLink: async () => {
      const answer = await send(() => client.createResetLink({ params, body: {} }));
      if (answer) setLink(answer);
    },
  };
  return { acts, state, note, setNote, link, setLink };
}

const Initial = ({ person }: Pick<Props, "person">) => (
  <span
    aria-hidden="true"
    className={`mt-0.5 grid size-8 flex-none place-items-center rounded-full text-sm font-semibold uppercase ${person.state === "suspended" ? "bg-hover text-soft" : "bg-accent-wash text-accent-strong"}`}
  >
    {[...person.name][0]}
  </span>
);

/** Name, role, state, ways to sign in and costs. */
const Summary = ({ person, isMe }: Pick<Props, "person" | "isMe">) => {
  const now = useNow();
  const { name, email, role, signedInAt } = person;
  const ways = [
    ...(person.authenticator ? [factors.app] : []),
    ...(person.passkeys > 0 ? [factors.passkeys(person.passkeys)] : []),
  ];
  return (
    <>
      <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
        <span dir="auto" className="wrap-anywhere">
          {name}
        </span>
        {isMe && <span className="text-xs font-normal text-soft">{strings.you}</span>}
        {role === "admin" && <Badge tone="warn">{strings.roles.admin}</Badge>}
        {person.state === "suspended" && <Badge tone="bad">{strings.suspended}</Badge>}
      </h3>
      <p className="text-xs wrap-anywhere text-soft">
        <bdi>{email}</bdi> ·{" "}
        {signedInAt === null ? strings.neverSignedIn : strings.signedIn(toRelativeTime(signedInAt, now))}
        {ways.map((way) => ` · ${way}`)}
        {person.monthUsd > 0 && ` · ${personSettings.spent(toAmount(person.monthUsd))}`}
      </p>
    </>
  );
};
