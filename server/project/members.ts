import type { Body, Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { OwnedProject } from "../../protocol/account/person.ts";
import { MemberRole, type Member, ProjectRole } from "../../protocol/project/members.ts";
import type { People } from "../accounts/accounts.ts";
import type { PlanAudit } from "../auth/audit.ts";
import { authorize } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import { toHighest, type Membership, type Reads, type Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { createGroups } from "./groups.ts";
import { getProjectRow } from "./plan/act.ts";
import { planGroup, planGroupRemoval } from "./plan/groups.ts";
import {
  planAdd,
  planRemoval,
  planRole,
  planTransfer,
  toBatch,
  type MemberChange,
  type Members,
  type Project,
  type ProjectAccess,
} from "./plan/members.ts";

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  /** undefined: the server has no accounts. Then no member can be added. */
  readonly people: Pick<People, "planStillAdmin"> | undefined;
  /** Called when a user may have lost access. */
  readonly onRevoked?: () => void;
};

/** Members of projects: users, and groups of users. Every change is one batch. */
export type ProjectMembers = ReturnType<typeof createProjectMembers>;

export function createProjectMembers({ store, log, clock, planAudit, people, onRevoked = () => {} }: Options) {
  const { read } = store;
  const planStillAdmin = people?.planStillAdmin ?? (() => []);
  const groups = createGroups({ store, log, clock, planAudit, planStillAdmin, onRevoked });
  const list = (principal: Principal, projectId: string) => listMembers(read, principal, projectId);

  /** Commits the plan of a change on top of the project's current version. */
  const change = async (
    principal: Principal,
    projectId: string,
    plan: (access: ProjectAccess) => Promise<MemberChange | null>,
    actor: Principal = principal,
  ): Promise<void> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      // Before the members: a concurrent change of them changes the version.
      const project = await getProjectRow(read, principal.userId, projectId, "read");
      const planned = await plan({ project, memberships: await read.membershipsIn([projectId]) });
      if (planned === null) return;
      const { events, writes, drive } = toBatch(project, planned);
      const audit = planAudit({ ...planned.audit, actor, detail: { project: projectId, ...planned.audit.detail } });
      const { ok } = await log.commit({ events, writes: [...writes, ...audit], drive });
      if (!ok) continue;
      onRevoked();
      return;
    }
    throw new ApiError("busy", "The members of this project are being changed. Try again in a moment.");
  };

  const add = async (principal: Principal, projectId: string, body: Body<"addMember">) => {
    await change(principal, projectId, async (access) => {
      assertOwner(principal, access.project);
      if (!people) throw new ApiError("invalid", NO_ACCOUNTS);
      return planAdd(read, access, body);
    });
    return list(principal, projectId);
  };

  const changeRole = async (principal: Principal, projectId: string, person: string, role: MemberRole) => {
    await change(principal, projectId, async (access) => {
      assertOwner(principal, access.project);
      return planRole(read, access, { person, role });
    });
    return list(principal, projectId);
  };

  /** `actor`: the admin who acts for the user, for the audit log. */
  const remove = async (principal: Principal, projectId: string, person: string, actor = principal) => {
    const plan = async (access: ProjectAccess): Promise<MemberChange> => {
      if (person !== principal.userId) assertOwner(principal, access.project);
      return planRemoval(read, access, { person, actor });
    };
    await change(principal, projectId, plan, actor);
    return { userId: person };
  };

  const setGroup = async (principal: Principal, projectId: string, groupId: string, role: MemberRole) => {
    await change(principal, projectId, async (access) => {
      assertOwner(principal, access.project);
      return planGroup(read, access, { groupId, role });
    });
    return list(principal, projectId);
  };

  const removeGroup = async (principal: Principal, projectId: string, groupId: string) => {
    await change(principal, projectId, async (access) => {
      assertOwner(principal, access.project);
      return planGroupRemoval(read, access, groupId);
    });
    return { groupId };
  };

  const transfer = async (principal: Principal, projectId: string, person: string, actor = principal) => {
    const plan = async (access: ProjectAccess): Promise<MemberChange | null> => {
      assertOwner(principal, access.project);
      return planTransfer(read, access, person);
    };
    await change(principal, projectId, plan, actor);
    return list(principal, projectId);
  };

  return {
    groups,
    list,
    add,
    changeRole,
    remove: (principal: Principal, projectId: string, person: string) => remove(principal, projectId, person),
    setGroup,
    removeGroup,
    transfer,

    /** For admins: the projects with members that the user owns, without names and contents. */
    listOwned: (userId: string) => listOwned(read, userId),

    /** Before a user's data is deleted: leaves all projects of others and all groups. Throws if the user owns a project with members. */
    leaveAll: async (principal: Principal, actor = principal): Promise<void> => {
      const { userId } = principal;
      const names = (await listOwnShared(read, userId)).map(({ project: { name } }) => `“${name}”`);
      if (names.length > 0) {
        const text = `Other people are members of your ${names.length === 1 ? "project" : "projects"} ${names.join(", ")}. Make one of them the owner, or remove them, first.`;
        throw new ApiError("conflict", text);
      }
      for (const { object } of await read.membershipsOf(userId)) await remove(principal, object, userId, actor);
      await groups.leaveAll(userId, actor);
    },
  };
}

const MAX_TRIES = 10;
const MOST = 1000;
const NO_ACCOUNTS =
  "This server has no accounts, so no member can be added. Its operator can turn them on with STONECHAT_ACCOUNTS=on.";

const assertOwner = (principal: Principal, project: Project): void =>
  authorize(
    principal,
    { ownerId: project.owner, role: project.owner === principal.userId ? "owner" : "viewer" },
    "delete",
  );

async function listMembers(
  read: Store["read"],
  principal: Principal,
  projectId: string,
): Promise<Answer<"listMembers">> {
  const project = await getProjectRow(read, principal.userId, projectId, "read");
  const memberships = await read.membershipsIn([projectId]);
  const groups = await read.groupsOfProject(projectId);
  const people = await read.accountsById([project.owner, ...new Set(memberships.map(({ person }) => person))]);
  const privateThreads = (await read.threadsOfProject(projectId)).filter(
    ({ owner, shared, temporary }) => owner === principal.userId && shared === 0 && temporary === 0,
  ).length;
  return {
    members: toMembers(principal, project, memberships, people).map((member) => ({
      ...member,
      ...describeOrigin(memberships, member.userId, groups),
    })),
    groups: groups.flatMap(({ id, name, role, people: count }) => {
      const parsed = MemberRole.safeParse(role);
      return parsed.success ? [{ groupId: id, name, role: parsed.data, people: count }] : [];
    }),
    privateThreads,
  };
}

/** Projects of the user that have members, without names and contents. */
async function listOwned(read: Store["read"], userId: string): Promise<OwnedProject[]> {
  const own = await listOwnShared(read, userId);
  const ids = new Set(own.flatMap(({ members }) => members.map(({ person }) => person)));
  const people = await read.accountsById([...ids]);
  return own.map(({ project, members }) => ({
    id: project.id,
    members: toMembers({ userId }, project, members, people).flatMap(({ email: _, ...member }) =>
      member.userId === userId ? [] : [member],
    ),
  }));
}

/** Projects of the user that have members. */
async function listOwnShared(
  read: Pick<Reads, "projectsOf" | "membersOf">,
  userId: string,
): Promise<readonly { readonly project: Project; readonly members: Members }[]> {
  const own = [...(await read.projectsOf(userId, false, MOST)), ...(await read.projectsOf(userId, true, MOST))];
  const all = await read.membersOf(own.map(({ id }) => id));
  return own
    .map((project) => ({ project, members: all.filter(({ object }) => object === project.id) }))
    .filter(({ members }) => members.length > 0);
}

/** The role that a member has without groups, and the groups through which the user is a member. */
function describeOrigin(
  memberships: readonly Membership[],
  userId: string,
  groups: readonly { readonly id: string; readonly name: string }[],
): Pick<Member, "ownRole" | "groups"> {
  const own = memberships.filter(({ person }) => person === userId);
  const through = new Set(own.map((one) => one.through));
  return {
    ownRole: MemberRole.safeParse(own.find((one) => one.through === null)?.role).data ?? null,
    groups: groups.flatMap(({ id, name }) => (through.has(id) ? [name] : [])),
  };
}

function toMembers(
  { userId }: Principal,
  project: Project,
  memberships: readonly Membership[],
  people: readonly RowOf<"accounts">[],
): Omit<Member, "ownRole" | "groups">[] {
  const accounts = new Map(people.map((row) => [row.id, row]));
  const toMember = (person: string, role: ProjectRole): Omit<Member, "ownRole" | "groups"> => {
    const account = accounts.get(person);
    const isShown = project.owner === userId || person === userId;
    return {
      ...{ userId: person, name: account?.name ?? "", role },
      email: isShown ? (account?.email ?? null) : null,
      suspended: account?.state === "suspended",
    };
  };
  const others = toHighest(memberships).flatMap(({ person, role }) => {
    const parsed = ProjectRole.safeParse(role);
    return parsed.success ? [toMember(person, parsed.data)] : [];
  });
  return [toMember(project.owner, "owner"), ...others.toSorted((a, b) => a.name.localeCompare(b.name))];
}
