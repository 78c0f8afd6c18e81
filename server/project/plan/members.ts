import type { Body } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { projectStream, threadStream, userStream } from "../../../protocol/ids.ts";
import { MAX_MEMBERS, type MemberRole } from "../../../protocol/project/members.ts";
import type { Principal } from "../../auth/principal.ts";
import type { LogEntry } from "../../log/log.ts";
import { toProjectEvents } from "./act.ts";
import { toHighest, type Membership, type Reads, type Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";

export type Project = RowOf<"projects">;
/** Each user once, with the highest role. */
export type Members = readonly Membership[];

/** A project with its members, as read before a change. */
export type ProjectAccess = {
  readonly project: Project;
  /** All roles of users, own ones and those of groups. A user may have several. */
  readonly memberships: readonly Membership[];
};

/** Plan of a change: the memberships after it, and everything to commit. */
export type MemberChange = {
  /** The project's new owner, if it changes. */
  readonly owner?: string;
  /** After the change. */
  readonly memberships: readonly Membership[];
  readonly events: readonly LogEntry[];
  readonly writes: readonly Write[];
  readonly drive?: readonly string[];
  readonly audit: AuditFacts;
};

type AuditFacts = {
  readonly action: string;
  /** null: a group. */
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
};

export type RevocationReads = Pick<Reads, "liveRunsFor" | "queuedBy" | "threadsOfProject" | "shares">;

/**
 * A change of a project's members as a batch, without its audit row. It expects the project's version and increments it, so that of two
 * concurrent changes the later one is planned again on top of the first.
 */
export function toBatch(project: Project, change: Omit<MemberChange, "audit">) {
  const next = { ...project, owner: change.owner ?? project.owner, version: project.version + 1 };
  const members = toHighest(change.memberships).filter(({ person }) => person !== next.owner);
  const events: LogEntry[] = [
    { stream: projectStream(project.id), event: { type: "members-changed" } },
    ...toProjectEvents(next, members),
    ...change.events,
  ];
  const writes: Write[] = [
    {
      do: "update",
      table: "projects",
      set: { owner: next.owner, version: next.version },
      where: { id: project.id, owner: project.owner, version: project.version },
      expectOne: true,
    },
    ...change.writes,
  ];
  return { events, writes, drive: change.drive ?? [] };
}

/** The account with this address becomes a member. */
export async function planAdd(
  read: Pick<Reads, "accountByEmail">,
  { project, memberships }: ProjectAccess,
  { email, role }: Body<"addMember">,
): Promise<MemberChange> {
  const account = await read.accountByEmail(email.toLowerCase());
  if (account?.state !== "active") {
    throw new ApiError(
      "invalid",
      `No account of this server has the address ${email}. Check it, or ask an admin to invite the user.`,
    );
  }
  const person = account.id;
  if (person === project.owner) throw new ApiError("conflict", "You already own this project.");
  const own = memberships.filter(({ through }) => through === null);
  if (own.some((member) => member.person === person)) {
    throw new ApiError("conflict", `${account.name} is already a member of this project.`);
  }
  if (own.length + 1 >= MAX_MEMBERS) {
    throw new ApiError("too-large", `A project has at most ${MAX_MEMBERS} members. Remove one first.`);
  }
  const row = { object: project.id, person, role };
  return {
    memberships: [...memberships, { ...row, through: null }],
    events: [],
    writes: [{ do: "insert", table: "members", row }],
    audit: { action: "project-member-added", target: person, detail: { role } },
  };
}

export async function planRole(
  read: RevocationReads,
  access: ProjectAccess,
  { person, role }: { readonly person: string; readonly role: MemberRole },
): Promise<MemberChange | null> {
  const { project, memberships } = access;
  const member = getMember(access, person);
  if (member.role === role) return null;
  const after = memberships.map((one) => (one === member ? { ...one, role } : one));
  const lost = await planLost(read, access, after);
  return {
    memberships: after,
    events: lost.events,
    drive: lost.drive,
    writes: [
      {
        do: "update",
        table: "members",
        set: { role },
        where: { object: project.id, person, role: member.role },
        expectOne: true,
      },
      ...lost.writes,
    ],
    audit: { action: "project-role-changed", target: person, detail: { from: member.role, to: role } },
  };
}

/** `actor`: who removes the member, perhaps the member. */
export async function planRemoval(
  read: RevocationReads,
  access: ProjectAccess,
  { person, actor }: { readonly person: string; readonly actor: Principal },
): Promise<MemberChange> {
  const { project, memberships } = access;
  const member = getMember(access, person);
  const after = memberships.filter((one) => one !== member);
  const lost = await planLost(read, access, after);
  return {
    memberships: after,
    events: lost.events,
    drive: lost.drive,
    writes: [
      // First: it waits for batches that the member still commits, whose rows the next writes then see.
      { do: "delete", table: "members", where: { object: project.id, person } },
      ...lost.writes,
    ],
    audit: {
      action: person === actor.userId ? "project-left" : "project-member-removed",
      target: person,
      detail: { role: member.role },
    },
  };
}

export async function planTransfer(
  read: Pick<Reads, "account">,
  { project, memberships }: ProjectAccess,
  person: string,
): Promise<MemberChange | null> {
  if (person === project.owner) return null;
  if (!memberships.some((one) => one.person === person)) throw new ApiError("not-found", "Not found.");
  const account = await read.account(person);
  if (account?.state !== "active") {
    throw new ApiError("conflict", "This account is suspended. A suspended user cannot own the project.");
  }
  const former = { object: project.id, person: project.owner, role: "editor" };
  return {
    owner: person,
    memberships: [...memberships.filter((one) => one.person !== person), { ...former, through: null }],
    events: [],
    writes: [
      { do: "delete", table: "members", where: { object: project.id, person } },
      { do: "insert", table: "members", row: former },
    ],
    audit: { action: "project-transferred", target: person, detail: {} },
  };
}

/** The role without groups. A role through a group is changed with the group. */
function getMember({ project, memberships }: ProjectAccess, person: string): Membership {
  const all = memberships.filter((one) => one.person === person);
  const member = all.find(({ through }) => through === null);
  if (member) return member;
  if (person === project.owner) {
    throw new ApiError("conflict", "A project needs its owner. Make another member the owner first.");
  }
  if (all.length > 0) throw new ApiError("conflict", THROUGH_GROUP);
  throw new ApiError("not-found", "Not found.");
}

const THROUGH_GROUP =
  "This user is a member through a group. Change or remove the group, or ask an admin to remove the user from the group.";

/**
 * Plans the losses of all users whose highest role is lower after a change. Users without any role lose access as a whole; former editors keep
 * reading. Both have their running answers stopped and their queued messages withdrawn. Users with another role lose nothing.
 */
export async function planLost(
  read: RevocationReads,
  { project, memberships }: ProjectAccess,
  after: readonly Membership[],
) {
  const roles = new Map(toHighest(after).map(({ person, role }) => [person, role]));
  const lowered = toHighest(memberships).filter(({ person, role }) => role !== roles.get(person) && role === "editor");
  const removed = toHighest(memberships).filter(({ person }) => !roles.has(person));
  const people = [...new Set([...lowered, ...removed].map(({ person }) => person))];
  if (people.length === 0) return { events: [], writes: [], drive: [] };
  const threads = await read.threadsOfProject(project.id);
  const events: LogEntry[] = [];
  const writes: Write[] = [];
  const drive: string[] = [];
  for (const person of people) {
    const stopped = await planStop(read, person, project.id);
    events.push(...stopped.events);
    if (!roles.has(person)) {
      writes.push({
        do: "delete",
        table: "events",
        where: { stream: userStream(person), message: projectStream(project.id) },
      });
    }
    writes.push(...stopped.writes);
    drive.push(...stopped.drive);
    if (roles.has(person)) continue;
    const left = await planLeaving(read, { project, threads }, person);
    events.push(...left.events, {
      stream: userStream(person),
      event: { type: "project-changed", projectId: project.id, project: null },
    });
    writes.push(...left.writes);
  }
  return { events, writes, drive };
}

/** Stops the member's running answers in shared threads of the project and withdraws the member's queued messages. */
async function planStop(read: Pick<Reads, "liveRunsFor" | "queuedBy">, person: string, projectId: string) {
  const [runs, queued] = await Promise.all([read.liveRunsFor(person, projectId), read.queuedBy(person, projectId)]);
  return {
    events: queued.map(({ thread, id }): LogEntry => ({
      stream: threadStream(thread),
      event: { type: "input-withdrawn", inputId: id },
    })),
    writes: [
      ...runs.map(({ id }): Write => ({ do: "update", table: "runs", set: { stop: 1 }, where: { id, ended: 0 } })),
      ...queued.map(({ thread, id }): Write => ({
        do: "update",
        table: "inputs",
        set: { state: "withdrawn" },
        where: { thread, id, state: "queued" },
      })),
    ],
    drive: [...new Set([...runs, ...queued].map(({ thread }) => thread))],
  };
}

/** Threads that the member shared stay with the project, as threads of its owner. Private ones stay with the member. */
async function planLeaving(
  read: Pick<Reads, "shares">,
  { project, threads }: { readonly project: Project; readonly threads: readonly RowOf<"threads">[] },
  person: string,
) {
  const own = threads.filter(({ owner }) => owner === person);
  const ids = new Set(threads.map(({ id }) => id));
  const shares = (await read.shares(person, null)).filter(({ thread }) => ids.has(thread));
  const none = { projectId: null, focusId: null, mode: null } as const;
  return {
    events: own.flatMap(({ id: threadId, shared }): LogEntry[] =>
      shared === 1
        ? [{ stream: userStream(person), event: { type: "thread-deleted", threadId } }]
        : [threadStream(threadId), userStream(person)].map((stream): LogEntry => ({
            stream,
            event: { type: "thread-changed", threadId, patch: none },
          })),
    ),
    writes: [
      {
        do: "update",
        table: "threads",
        set: { owner: project.owner },
        where: { project: project.id, owner: person, shared: 1 },
      },
      {
        do: "update",
        table: "threads",
        set: { project: null, focus: null, mode: "" },
        where: { project: project.id, owner: person, shared: 0 },
      },
      // Links to snapshots of the project's threads.
      ...shares.map(({ owner, id }): Write => ({ do: "delete", table: "shares", where: { owner, id } })),
    ] satisfies Write[],
  };
}
