import type { Body, Response as Answer } from "../../protocol/api.ts";
import { groupLimits, type Group } from "../../protocol/account/groups.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log, LogBatch } from "../log/log.ts";
import type { Membership, Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { getGroup, planGroupRemoval, planVersion } from "./plan/groups.ts";
import { planLost, toBatch, type MemberChange, type ProjectAccess } from "./plan/members.ts";

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  /** Makes a batch fail unless the user is still an admin. */
  readonly planStillAdmin: (principal: Principal) => readonly Write[];
  /** Called when a user may have lost access. */
  readonly onRevoked: () => void;
};

/**
 * Groups of users. Admins manage them, and owners of projects give them a role (members.ts). A user joins or leaves a group in one batch
 * over all of its projects, which expects their versions and that of the group. A group is deleted after it was removed from each
 * project in a separate batch, so an interrupted deletion can be repeated.
 */
export type Groups = ReturnType<typeof createGroups>;

export function createGroups({ store: { read }, log, clock, planAudit, planStillAdmin, onRevoked }: Options) {
  /** Commits what `plan` returns on top of the current rows; null: nothing to do. */
  const commit = async (plan: () => Promise<LogBatch | null>): Promise<void> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const batch = await plan();
      if (batch === null) return;
      const { ok } = await log.commit(batch);
      if (!ok) continue;
      onRevoked();
      return;
    }
    throw new ApiError("busy", "This group is being changed. Try again in a moment.");
  };

  const get = async (groupId: string): Promise<Answer<"getGroup">> => {
    const [row, rows, places] = await Promise.all([
      getGroup(read, groupId),
      read.groupPeople(groupId),
      read.projectsOfGroup(groupId),
    ]);
    const accounts = await read.accountsById(rows.map(({ person }) => person));
    const people = accounts
      .map(({ id, name, email, state }) => ({ userId: id, name, email, suspended: state === "suspended" }))
      .toSorted((a, b) => a.name.localeCompare(b.name) || (a.userId < b.userId ? -1 : 1));
    return { group: toGroup({ ...row, people: people.length }), people, projects: places.length };
  };

  /** All projects of a group, with what changes for their members. The group's version must be read before. */
  const planProjects = async (
    groupId: string,
    change: (membership: Membership, access: ProjectAccess) => readonly Membership[],
  ) => {
    const places = await read.projectsOfGroup(groupId);
    const ids = places.map(({ project }) => project);
    const projects = await read.projectsById(ids);
    const all = await read.membershipsIn(ids);
    const batches = [];
    for (const project of projects) {
      const role = places.find((one) => one.project === project.id)?.role ?? "";
      const access = { project, memberships: all.filter(({ object }) => object === project.id) };
      const memberships = change({ object: project.id, person: "", role, through: groupId }, access);
      batches.push(toBatch(project, { memberships, ...(await planLost(read, access, memberships)) }));
    }
    return {
      events: batches.flatMap(({ events }) => events),
      writes: batches.flatMap(({ writes }) => writes),
      drive: [...new Set(batches.flatMap(({ drive }) => drive))],
    };
  };

  const addPerson = async (principal: Principal, groupId: string, userId: string): Promise<Answer<"getGroup">> => {
    await commit(async () => {
      const group = await getGroup(read, groupId);
      if (!(await read.account(userId))) throw new ApiError("not-found", "Not found.");
      const people = await read.groupPeople(groupId);
      if (people.some(({ person }) => person === userId)) return null;
      if (people.length >= groupLimits.people) {
        throw new ApiError("too-large", `A group has at most ${groupLimits.people} users. Remove one first.`);
      }
      const { events, writes, drive } = await planProjects(groupId, (membership, { project, memberships }) =>
        project.owner === userId ? memberships : [...memberships, { ...membership, person: userId }],
      );
      return {
        ...{ events, drive },
        writes: [
          ...planStillAdmin(principal),
          planVersion(group),
          { do: "insert", table: "group_people", row: { group_id: groupId, person: userId } },
          ...writes,
          ...planAudit({ action: "group-person-added", actor: principal, target: userId, detail: toDetail(group) }),
        ],
      };
    });
    return get(groupId);
  };

  /** `writes`: what must hold for the actor. */
  const removePerson = async (
    actor: Principal,
    groupId: string,
    { userId, writes: checks }: { readonly userId: string; readonly writes: readonly Write[] },
  ): Promise<void> => {
    await commit(async () => {
      const group = await getGroup(read, groupId);
      const people = await read.groupPeople(groupId);
      if (!people.some(({ person }) => person === userId)) throw new ApiError("not-found", "Not found.");
      const { events, writes, drive } = await planProjects(groupId, (_, { memberships }) =>
        memberships.filter(({ person, through }) => person !== userId || through !== groupId),
      );
      const action = actor.userId === userId && checks.length === 0 ? "group-left" : "group-person-removed";
      return {
        ...{ events, drive },
        writes: [
          ...checks,
          planVersion(group),
          // Before the others: it waits for batches that the user still commits, whose rows the next writes then see.
          { do: "delete", table: "group_people", where: { group_id: groupId, person: userId } },
          ...writes,
          ...planAudit({ action, actor, target: userId, detail: toDetail(group) }),
        ],
      };
    });
  };

  /** Removes the group from one of its projects, as the project's owner could. */
  const removeFromProject = (principal: Principal, groupId: string, projectId: string): Promise<void> =>
    commit(async () => {
      const project = await read.project(projectId);
      const places = await read.projectsOfGroup(groupId);
      if (!project || !places.some((place) => place.project === projectId)) return null;
      const access = { project, memberships: await read.membershipsIn([projectId]) };
      const change: MemberChange = await planGroupRemoval(read, access, groupId);
      const { events, writes, drive } = toBatch(project, change);
      const audit = { ...change.audit, actor: principal, detail: { project: projectId, ...change.audit.detail } };
      return { events, writes: [...planStillAdmin(principal), ...writes, ...planAudit(audit)], drive };
    });

  return {
    list: async (): Promise<Answer<"listGroups">> => ({ groups: (await read.groups()).map(toGroup) }),
    get,
    addPerson,

    create: async (principal: Principal, { id, name }: Body<"createGroup">): Promise<Answer<"createGroup">> => {
      const known = await read.group(id);
      if (known?.name === name) return { group: toGroup(known) };
      const all = await read.groups();
      if (known) throw new ApiError("conflict", "This id was already used with different content.");
      if (all.length >= groupLimits.groups) {
        throw new ApiError("too-large", `A server has at most ${groupLimits.groups} groups. Delete one first.`);
      }
      const row = { id, name, name_key: toNameKey(name), version: 1, created_at: clock.now() };
      const { ok } = await log.commit({
        events: [],
        writes: [
          ...planStillAdmin(principal),
          { do: "insert", table: "user_groups", row },
          ...planAudit({ action: "group-created", actor: principal, detail: toDetail(row) }),
        ],
      });
      if (!ok) throw nameTaken(name);
      return { group: toGroup({ ...row, people: 0 }) };
    },

    rename: async (principal: Principal, groupId: string, name: string): Promise<Answer<"changeGroup">> => {
      const group = await getGroup(read, groupId);
      if (group.name === name) return { group: toGroup(group) };
      const { ok } = await log.commit({
        events: [],
        writes: [
          ...planStillAdmin(principal),
          {
            do: "update",
            table: "user_groups",
            set: { name, name_key: toNameKey(name) },
            where: { id: groupId, name: group.name },
            expectOne: true,
          },
          ...planAudit({
            action: "group-renamed",
            actor: principal,
            detail: { group: groupId, from: group.name, to: name },
          }),
        ],
      });
      if (!ok) throw nameTaken(name);
      return { group: toGroup({ ...group, name }) };
    },

    remove: async (principal: Principal, groupId: string): Promise<{ id: string }> => {
      await commit(async () => {
        const group = await getGroup(read, groupId);
        for (const { project } of await read.projectsOfGroup(groupId)) {
          await removeFromProject(principal, groupId, project);
        }
        return {
          events: [],
          writes: [
            ...planStillAdmin(principal),
            // Fails if the group was added to another project in between. Then this is planned again.
            planVersion(group),
            { do: "delete", table: "group_people", where: { group_id: groupId } },
            { do: "delete", table: "user_groups", where: { id: groupId } },
            ...planAudit({ action: "group-deleted", actor: principal, detail: toDetail(group) }),
          ],
        };
      });
      return { id: groupId };
    },

    removePerson: async (principal: Principal, groupId: string, userId: string): Promise<Answer<"getGroup">> => {
      await removePerson(principal, groupId, { userId, writes: planStillAdmin(principal) });
      return get(groupId);
    },

    /** Before a user's data is deleted. `actor`: the user, or an admin who deletes the account. */
    leaveAll: async (userId: string, actor: Principal): Promise<void> => {
      for (const { group_id: groupId } of await read.groupsOf(userId)) {
        await removePerson(actor, groupId, { userId, writes: [] });
      }
    },
  };
}

const MAX_TRIES = 10;

const toGroup = ({ id, name, people }: Pick<RowOf<"user_groups">, "id" | "name"> & Pick<Group, "people">): Group => ({
  ...{ id, name, people },
});

/** For the audit log. */
const toDetail = ({ id, name }: Pick<RowOf<"user_groups">, "id" | "name">) => ({ group: id, name });

const toNameKey = (name: string): string => name.normalize("NFKC").toLowerCase();

const nameTaken = (name: string): ApiError =>
  new ApiError("conflict", `Another group has the name “${name}”. Choose another name.`);
