import { Crown, LogOut, UserMinus } from "lucide-react";
import { useEffect, useState } from "react";
import type { Member, MemberRole } from "../../protocol/project/members.ts";
import { useSelected, useSignal } from "../lib/signal.ts";
import { useLoad } from "../lib/use-load.ts";
import { useRequest } from "../lib/use-request.ts";
import { usePage } from "../state/page.ts";
import { useProject } from "../state/project/project-context.ts";
import { members as strings } from "../strings/project/members.ts";
import { Badge } from "../ui/badge.tsx";
import Confirm from "../ui/confirm.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Failed, Quiet, Section, Waiting } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { AddMember, memberRoles } from "./add-member.tsx";
import { MemberGroups } from "./member-groups.tsx";

/** The people who have access to a project. Its owner adds and removes them; others can leave. */
export const Members = () => {
  const { client, session } = usePage();
  const { projectId, feed } = useProject();
  const changes = useSignal(feed.members);
  const me = useSelected(session.state, (now) => (now.phase === "signed-in" ? now.me.userId : ""));
  const { state, reload } = useLoad(projectId, (signal) => client.listMembers({ params: { projectId } }, signal));
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  if (state.phase === "loading") return <Waiting />;
  if (state.phase === "failed") return <Failed text={state.text} onRetry={reload} />;
  const { members, groups, privateThreads } = state.value;
  const isOwner = members.some(({ userId, role }) => userId === me && role === "owner");
  return (
    <Section title={strings.title} count={members.length}>
      <Quiet>{strings.about}</Quiet>
      <ul className="mt-2 grid gap-2">
        {members.map((member) => (
          <MemberRow
            key={member.userId}
            member={member}
            isMe={member.userId === me}
            canManage={isOwner}
            onChanged={reload}
          />
        ))}
      </ul>
      {groups.length > 0 && <MemberGroups groups={groups} canManage={isOwner} onChanged={reload} />}
      {isOwner && <AddMember groups={groups} onAdded={reload} />}
      {members.length > 1 && privateThreads > 0 && <Quiet>{strings.privateThreads(privateThreads)}</Quiet>}
    </Section>
  );
};

type RowProps = {
  readonly member: Member;
  readonly isMe: boolean;
  readonly canManage: boolean;
  readonly onChanged: () => void;
};

const MemberRow = ({ member, isMe, canManage, onChanged }: RowProps) => {
  const { userId, name, email, role, ownRole, groups, suspended } = member;
  const { client, projects, goTo } = usePage();
  const { projectId } = useProject();
  const [asked, setAsked] = useState<"remove" | "transfer" | null>(null);
  const { state, send } = useRequest();
  const params = { projectId, userId };
  const change = async (next: MemberRole) => {
    if (await send(() => client.changeMember({ params, body: { role: next } }))) onChanged();
  };
  const remove = async () => {
    if (!(await send(() => client.removeMember({ params })))) return;
    if (!isMe) return onChanged();
    projects.apply({ type: "project-changed", projectId, project: null });
    goTo(null);
  };
  const transfer = async () => {
    if (await send(() => client.transferProject({ params: { projectId }, body: { userId } }))) onChanged();
  };
  // A role through a group is changed with the group.
  const canRemove = ownRole !== null && (canManage || isMe);
  return (
    <li className="rounded-2xl bg-raised px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-40">
          <p className="flex flex-wrap items-center gap-x-2 font-medium">
            <span dir="auto" className="wrap-anywhere">
              {name}
            </span>
            {isMe && <span className="text-xs font-normal text-soft">{strings.you}</span>}
            {suspended && <Badge tone="bad">{strings.suspended}</Badge>}
          </p>
          {email !== null && (
            <p className="text-xs wrap-anywhere text-soft">
              <bdi>{email}</bdi>
            </p>
          )}
          {groups.length > 0 && <p className="text-xs wrap-anywhere text-soft">{strings.through(groups.join(", "))}</p>}
        </div>
        <div className="flex items-center gap-1">
          {ownRole !== null && ownRole !== role && <Badge tone="quiet">{strings.roles[role]}</Badge>}
          {canManage && ownRole !== null ? (
            <Select
              label={strings.roleOf(name)}
              value={ownRole}
              choices={memberRoles}
              words={strings.roles}
              onChoose={(next) => void change(next)}
            />
          ) : (
            (ownRole === null || ownRole === role) && <Badge tone="quiet">{strings.roles[role]}</Badge>
          )}
          {canManage && role !== "owner" && (
            <IconButton label={strings.makeOwnerOf(name)} onClick={() => setAsked("transfer")}>
              <Crown aria-hidden="true" className="size-4" />
            </IconButton>
          )}
          {canRemove && (
            <IconButton label={isMe ? strings.leave : strings.remove(name)} onClick={() => setAsked("remove")}>
              {isMe ? (
                <LogOut aria-hidden="true" className="size-4" />
              ) : (
                <UserMinus aria-hidden="true" className="size-4" />
              )}
            </IconButton>
          )}
        </div>
      </div>
      {state.name === "failed" && (
        <p role="alert" className="mt-2 text-sm text-danger">
          {state.text}
        </p>
      )}
      {asked === "remove" && (
        <Confirm
          title={isMe ? strings.leaveTitle : strings.removeTitle(name)}
          text={isMe ? strings.leaveText : strings.removeText}
          action={isMe ? strings.leave : strings.removeAction}
          onConfirm={() => void remove()}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === "transfer" && (
        <Confirm
          title={strings.makeOwnerTitle(name)}
          text={strings.makeOwnerText}
          action={strings.makeOwner}
          onConfirm={() => void transfer()}
          onClose={() => setAsked(null)}
        />
      )}
    </li>
  );
};
