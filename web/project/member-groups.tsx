import { UserMinus, Users } from "lucide-react";
import { useState } from "react";
import type { GroupMember, MemberRole } from "../../protocol/project/members.ts";
import { useRequest } from "../lib/use-request.ts";
import { usePage } from "../state/page.ts";
import { useProject } from "../state/project/project-context.ts";
import { members as strings } from "../strings/project/members.ts";
import { Badge } from "../ui/badge.tsx";
import Confirm from "../ui/confirm.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Select } from "../ui/select.tsx";
import { memberRoles } from "./add-member.tsx";

type Props = {
  readonly groups: readonly GroupMember[];
  readonly canManage: boolean;
  readonly onChanged: () => void;
};

/** Groups that are members of the project. Its owner changes their roles and removes them. */
export const MemberGroups = ({ groups, canManage, onChanged }: Props) => (
  <ul aria-label={strings.groups} className="mt-2 grid gap-2">
    {groups.map((group) => (
      <GroupRow key={group.groupId} group={group} canManage={canManage} onChanged={onChanged} />
    ))}
  </ul>
);

type RowProps = Omit<Props, "groups"> & { readonly group: GroupMember };

const GroupRow = ({ group: { groupId, name, role, people }, canManage, onChanged }: RowProps) => {
  const { client } = usePage();
  const { projectId } = useProject();
  const [isConfirming, setConfirming] = useState(false);
  const { state, send } = useRequest();
  const params = { projectId, groupId };
  const change = async (next: MemberRole) => {
    if (await send(() => client.setProjectGroup({ params, body: { role: next } }))) onChanged();
  };
  const remove = async () => {
    if (await send(() => client.removeProjectGroup({ params }))) onChanged();
  };
  return (
    <li aria-label={name} className="rounded-2xl bg-raised px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Users aria-hidden="true" className="size-4 flex-none text-soft" />
        <div className="min-w-0 flex-1 basis-40">
          <p dir="auto" className="font-medium wrap-anywhere">
            {name}
          </p>
          <p className="text-xs text-soft">{strings.inGroup(people)}</p>
        </div>
        <div className="flex items-center gap-1">
          {canManage ? (
            <Select
              label={strings.roleOf(name)}
              value={role}
              choices={memberRoles}
              words={strings.roles}
              onChoose={(next) => void change(next)}
            />
          ) : (
            <Badge tone="quiet">{strings.roles[role]}</Badge>
          )}
          {canManage && (
            <IconButton label={strings.remove(name)} onClick={() => setConfirming(true)}>
              <UserMinus aria-hidden="true" className="size-4" />
            </IconButton>
          )}
        </div>
      </div>
      {state.name === "failed" && (
        <p role="alert" className="mt-2 text-sm text-danger">
          {state.text}
        </p>
      )}
      {isConfirming && (
        <Confirm
          title={strings.removeTitle(name)}
          text={strings.removeGroupText}
          action={strings.removeAction}
          onConfirm={() => void remove()}
          onClose={() => setConfirming(false)}
        />
      )}
    </li>
  );
};
