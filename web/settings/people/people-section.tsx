import { usePage } from "../../state/page.ts";
import { useAccount } from "../../state/account/use-account.ts";
import { useLoad } from "../../lib/use-load.ts";
import { peopleSettings as strings } from "../../strings/settings/people.ts";
import { settings } from "../../strings/settings/page.ts";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { Groups } from "./groups.tsx";
import { Invitations } from "./invitations.tsx";
import { RoleLimits } from "./role-limits.tsx";
import { PersonRow } from "./person-row.tsx";

/** For admins: accounts and invitations of this instance. */
export const PeopleSection = () => {
  const { client, session } = usePage();
  const account = useAccount();
  const { state, reload } = useLoad("people", (signal) => client.listPeople({ params: {} }, signal));
  const people = state.phase === "ready" ? state.value.people : [];
  const now = session.state.get();
  const myId = now.phase === "signed-in" ? now.me.userId : "";
  const onChanged = (id: string) => {
    reload();
    // The admin's own role or name.
    if (id === myId) void session.load();
  };
  if (account?.role !== "admin") return <Quiet>{settings.onlyAdmins}</Quiet>;
  return (
    <>
      <Section title={strings.title} count={people.length}>
        <Quiet>{strings.about}</Quiet>
        {state.phase === "loading" && <Waiting />}
        {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
        <ul aria-label={strings.list} className="mt-1 grid gap-2 empty:hidden">
          {people.map((person) => (
            <li key={person.id} aria-label={person.name}>
              <PersonRow person={person} isMe={person.id === myId} onChanged={() => onChanged(person.id)} />
            </li>
          ))}
        </ul>
      </Section>
      <Invitations people={people} />
      <Groups people={people} />
      <RoleLimits />
    </>
  );
};
