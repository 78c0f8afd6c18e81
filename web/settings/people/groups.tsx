import { UserMinus, UserPlus } from "lucide-react";
import { useState, type FormEvent } from "react";
import type { Group, GroupDetails } from "../../../protocol/account/groups.ts";
import type { Person } from "../../../protocol/account/people.ts";
import { createId } from "../../lib/ids.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useRequest } from "../../lib/use-request.ts";
import { usePage } from "../../state/page.ts";
import { groupSettings as strings } from "../../strings/settings/groups.ts";
import { ActButton } from "../../ui/act-button.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import { Field } from "../../ui/field.tsx";
import { FormMessage } from "../../ui/form-message.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { Select } from "../../ui/select.tsx";
import { Deletable } from "../deletable.tsx";

const LONGEST_NAME = 80;

/** For admins: groups of users, to which owners of projects can give a role. */
export const Groups = ({ people }: { readonly people: readonly Person[] }) => {
  const { client } = usePage();
  const { state, reload } = useLoad("groups", (signal) => client.listGroups({ params: {} }, signal));
  const groups = state.phase === "ready" ? state.value.groups : [];
  return (
    <Section title={strings.title} count={groups.length}>
      <Quiet>{strings.about}</Quiet>
      {state.phase === "loading" && <Waiting />}
      {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
      <ul aria-label={strings.title} className="mt-1 grid gap-2 empty:hidden">
        {groups.map((group) => (
          <li key={group.id} aria-label={group.name} className="rounded-2xl bg-raised px-4 py-3">
            <GroupRow group={group} people={people} onChanged={reload} />
          </li>
        ))}
      </ul>
      <NameForm
        label={strings.create}
        action={strings.createAction}
        onSend={(name) => client.createGroup({ params: {}, body: { id: createId(), name } })}
        onDone={reload}
      />
    </Section>
  );
};

type NameFormProps = {
  readonly label: string;
  readonly action: string;
  readonly name?: string;
  readonly onSend: (name: string) => Promise<unknown>;
  readonly onDone: () => void;
};

const NameForm = ({ label, action, name = "", onSend, onDone }: NameFormProps) => {
  const { state, send } = useRequest();
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const next = String(new FormData(form).get("name") ?? "").trim();
    const isDone = await send(async () => {
      await onSend(next);
      return true;
    });
    if (!isDone) return;
    if (name === "") form.reset();
    onDone();
  };
  return (
    <form aria-label={label} className="mt-2 flex flex-wrap items-end gap-2" onSubmit={(event) => void onSubmit(event)}>
      <Field
        label={label}
        name="name"
        required
        defaultValue={name}
        autoComplete="off"
        maxLength={LONGEST_NAME}
        look="min-w-0 flex-1 basis-48"
      />
      <button type="submit" className="plain-button" disabled={state.name === "sending"}>
        {action}
      </button>
      <FormMessage state={state} done="" />
    </form>
  );
};

type RowProps = {
  readonly group: Group;
  readonly people: readonly Person[];
  readonly onChanged: () => void;
};

const GroupRow = ({ group: { id, name, people: count }, people, onChanged }: RowProps) => {
  const { client } = usePage();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
      <Deletable
        label={strings.remove(name)}
        title={strings.removeTitle(name)}
        text={strings.removeText}
        action={strings.removeAction}
        send={() => client.deleteGroup({ params: { groupId: id } })}
        onDeleted={onChanged}
      >
        {(button) => (
          <>
            <Disclosure
              className="min-w-0 flex-1"
              onToggle={setOpen}
              label={
                <span className="wrap-anywhere">
                  <bdi className="font-medium text-ink">{name}</bdi> · {strings.people(count)}
                </span>
              }
            >
              {isOpen && <Details groupId={id} people={people} onChanged={onChanged} />}
            </Disclosure>
            {button}
          </>
        )}
      </Deletable>
    </div>
  );
};

type DetailsProps = Omit<RowProps, "group"> & { readonly groupId: string };

const Details = ({ groupId, people, onChanged }: DetailsProps) => {
  const { client } = usePage();
  const params = { groupId };
  const { state, reload } = useLoad(groupId, (signal) => client.getGroup({ params }, signal));
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed") return <Failed text={state.text} onRetry={reload} />;
  const change = () => {
    reload();
    onChanged();
  };
  const { group, people: members, projects } = state.value;
  return (
    <div className="grid gap-2 pt-2">
      <Quiet>{strings.projects(projects)}</Quiet>
      {members.length === 0 && <Quiet>{strings.empty}</Quiet>}
      <ul aria-label={strings.peopleOf(group.name)} className="grid gap-1 empty:hidden">
        {members.map((member) => (
          <MemberRow key={member.userId} groupId={groupId} member={member} onChanged={change} />
        ))}
      </ul>
      <AddPerson
        groupId={groupId}
        people={people.filter(({ id }) => !members.some(({ userId }) => userId === id))}
        onAdded={change}
      />
      <NameForm
        key={group.name}
        label={strings.name}
        action={strings.rename}
        name={group.name}
        onSend={(name) => client.changeGroup({ params, body: { name } })}
        onDone={change}
      />
    </div>
  );
};

type MemberRowProps = {
  readonly groupId: string;
  readonly member: GroupDetails["people"][number];
  readonly onChanged: () => void;
};

const MemberRow = ({ groupId, member: { userId, name, email }, onChanged }: MemberRowProps) => {
  const { client } = usePage();
  return (
    <li className="flex flex-wrap items-center gap-x-2 text-sm">
      <span className="min-w-0 flex-1 wrap-anywhere">
        <bdi>{name}</bdi> <bdi className="text-xs text-soft">{email}</bdi>
      </span>
      <ActButton
        label={strings.removePerson(name)}
        look="icon-button"
        act={() => client.removeGroupPerson({ params: { groupId, userId } })}
        onDone={onChanged}
      >
        <UserMinus aria-hidden="true" className="size-4" />
      </ActButton>
    </li>
  );
};

type AddProps = {
  readonly groupId: string;
  readonly people: readonly Person[];
  readonly onAdded: () => void;
};

const AddPerson = ({ groupId, people, onAdded }: AddProps) => {
  const { client } = usePage();
  const [chosen, setChosen] = useState("");
  if (people.length === 0) return null;
  const userId = people.some(({ id }) => id === chosen) ? chosen : "";
  const words = Object.fromEntries(people.map(({ id, name, email }) => [id, `${name} (${email})`]));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        label={strings.person}
        value={userId}
        choices={["", ...people.map(({ id }) => id)]}
        words={{ "": strings.choose, ...words }}
        onChoose={setChosen}
      />
      <ActButton
        disabled={userId === ""}
        act={() => client.addGroupPerson({ params: { groupId, userId }, body: {} })}
        onDone={onAdded}
      >
        <UserPlus aria-hidden="true" className="size-4" />
        {strings.addPerson}
      </ActButton>
    </div>
  );
};
