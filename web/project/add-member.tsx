import { useState, type FormEvent } from "react";
import type { GroupMember, MemberRole } from "../../protocol/project/members.ts";
import { useLoad } from "../lib/use-load.ts";
import { useRequest } from "../lib/use-request.ts";
import { usePage } from "../state/page.ts";
import { useProject } from "../state/project/project-context.ts";
import { members as strings } from "../strings/project/members.ts";
import { Field } from "../ui/field.tsx";
import { FormMessage } from "../ui/form-message.tsx";
import { Segmented, toOptions } from "../ui/segmented.tsx";
import { Select } from "../ui/select.tsx";

export const memberRoles: readonly MemberRole[] = ["editor", "viewer"];

type Props = {
  /** Groups that are members already. */
  readonly groups: readonly GroupMember[];
  readonly onAdded: () => void;
};

/** Adds a user by email address, or a group of this server. */
export const AddMember = ({ groups, onAdded }: Props) => {
  const { client } = usePage();
  const { projectId } = useProject();
  const [kind, setKind] = useState<"person" | "group">("person");
  const [role, setRole] = useState<MemberRole>("editor");
  const [groupId, setGroupId] = useState("");
  const { state, send } = useRequest();
  const all = useLoad("groups", (signal) => client.listGroups({ params: {} }, signal)).state;
  const others =
    all.phase === "ready" ? all.value.groups.filter(({ id }) => !groups.some((one) => one.groupId === id)) : [];
  const chosen = others.some(({ id }) => id === groupId) ? groupId : "";
  const add = (email: string) =>
    kind === "group"
      ? client.setProjectGroup({ params: { projectId, groupId: chosen }, body: { role } })
      : client.addMember({ params: { projectId }, body: { email, role } });
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const email = String(new FormData(form).get("email") ?? "").trim();
    if (!(await send(() => add(email)))) return;
    form.reset();
    setGroupId("");
    onAdded();
  };
  return (
    <form
      aria-label={strings.add}
      className="mt-3 grid gap-3 rounded-2xl bg-raised p-4"
      onSubmit={(event) => void onSubmit(event)}
    >
      {(others.length > 0 || kind === "group") && (
        <Segmented
          label={strings.kind}
          options={toOptions(strings.kinds)}
          value={kind}
          className="justify-self-start"
          onChange={setKind}
        />
      )}
      {kind === "group" ? (
        <div className="grid justify-items-start gap-1">
          <Select
            label={strings.group}
            value={chosen}
            choices={["", ...others.map(({ id }) => id)]}
            words={{ "": strings.chooseGroup, ...Object.fromEntries(others.map(({ id, name }) => [id, name])) }}
            onChoose={setGroupId}
          />
          <span className="text-xs text-soft">{strings.groupAbout}</span>
        </div>
      ) : (
        <Field
          label={strings.email}
          about={strings.emailAbout}
          name="email"
          required
          autoComplete="off"
          inputMode="email"
          dir="ltr"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={320}
          pattern="[^\s@]+@[^\s@]+"
          mismatch={strings.emailMismatch}
          look="rtl:[&_input]:text-right"
        />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Select label={strings.role} value={role} choices={memberRoles} words={strings.roles} onChoose={setRole} />
        <span className="min-w-0 flex-1 basis-40 text-xs text-soft">{strings.roleAbout[role]}</span>
        <button
          type="submit"
          className="plain-button strong-button"
          disabled={state.name === "sending" || (kind === "group" && chosen === "")}
        >
          {strings.adding}
        </button>
      </div>
      <FormMessage state={state} done="" />
    </form>
  );
};
