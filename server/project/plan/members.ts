import type { Body } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { projectStream, threadStream, userStream } from "../../../protocol/ids.ts";
import { MAX_MEMBERS, type MemberRole } from "../../../protocol/project/members.ts";
import type { Principal } from "../../auth/principal.ts";
import type { LogEntry } from "../../log/log.ts";
import type { Reads, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";

export type Project = RowOf<"projects">;
export type Members = readonly RowOf<"members">[];

/** A project with its members, as read before a change. */
export type ProjectAccess = { readonly project: Project; readonly members: Members };

/** Plan of a change: the members after it, and everything to commit. */
export type MemberChange = {
  /** The project's new owner, if it changes. */
  readonly owner?: string;
  /** After the change. */
  readonly members: Members;
  readonly events: readonly LogEntry[];
  readonly writes: readonly Write[];
  readonly drive?: readonly string[];
  readonly audit: {
    readonly action: string;
    readonly target: string;
    readonly detail: Readonly<Record<string, unknown>>;
  };
};

const nothing = { events: [], writes: [], drive: [] };

/** The account with this address becomes a member. */
export async function planAdd(
  read: Pick<Reads, "accountByEmail">,
  { project, members }: ProjectAccess,
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
  if (members.some((member) => member.person === person)) {
    throw new ApiError("conflict", `${account.name} is already a member of this project.`);
  }
  if (members.length + 1 >= MAX_MEMBERS) {
    throw new ApiError("too-large", `A project has at most ${MAX_MEMBERS} members. Remove one first.`);
  }
  const row = { object: project.id, person, role };
  return {
    members: [...members, row],
    events: [],
    writes: [{ do: "insert", table: "members", row }],
    audit: { action: "project-member-added", target: person, detail: { role } },
  };
}

export async function planRole(
  read: Pick<Reads, "liveRunsFor" | "queuedBy">,
  { project, members }: ProjectAccess,
  { person, role }: { readonly person: string; readonly role: MemberRole },
): Promise<MemberChange | null> {
  const member = getMember(project, members, person);
  if (member.role === role) return null;
  const stopped = role === "viewer" ? await planStop(read, person, project.id) : nothing;
  return {
    members: members.map((one) => (one === member ? { ...one, role } : one)),
    events: stopped.events,
    drive: stopped.drive,
    writes: [
      {
        do: "update",
        table: "members",
        set: { role },
        where: { object: project.id, person, role: member.role },
        expectOne: true,
      },
      ...stopped.writes,
    ],
    audit: { action: "project-role-changed", target: person, detail: { from: member.role, to: role } },
  };
}

/** `actor`: who removes the member, perhaps the member. */
export async function planRemoval(
  read: Pick<Reads, "liveRunsFor" | "queuedBy" | "threadsOfProject" | "shares">,
  { project, members }: ProjectAccess,
  { person, actor }: { readonly person: string; readonly actor: Principal },
): Promise<MemberChange> {
  const member = getMember(project, members, person);
  const stopped = await planStop(read, person, project.id);
  const left = await planLeaving(read, project, person);
  return {
    members: members.filter((one) => one !== member),
    events: [
      ...stopped.events,
      ...left.events,
      { stream: userStream(person), event: { type: "project-changed", projectId: project.id, project: null } },
    ],
    drive: stopped.drive,
    writes: [
      // First: it waits for batches that the member still commits, whose rows the next writes then see.
      { do: "delete", table: "members", where: { object: project.id, person } },
      { do: "delete", table: "events", where: { stream: userStream(person), message: projectStream(project.id) } },
      ...stopped.writes,
      ...left.writes,
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
  { project, members }: ProjectAccess,
  person: string,
): Promise<MemberChange | null> {
  if (person === project.owner) return null;
  const member = getMember(project, members, person);
  const account = await read.account(person);
  if (account?.state !== "active") {
    throw new ApiError("conflict", "This account is suspended. A suspended user cannot own the project.");
  }
  const former = { object: project.id, person: project.owner, role: "editor" };
  return {
    owner: person,
    members: [...members.filter((one) => one !== member), former],
    events: [],
    writes: [
      { do: "delete", table: "members", where: { object: project.id, person } },
      { do: "insert", table: "members", row: former },
    ],
    audit: { action: "project-transferred", target: person, detail: {} },
  };
}

function getMember(project: Project, members: Members, person: string): RowOf<"members"> {
  const member = members.find((one) => one.person === person);
  if (member) return member;
  if (person === project.owner) {
    throw new ApiError("conflict", "A project needs its owner. Make another member the owner first.");
  }
  throw new ApiError("not-found", "Not found.");
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
async function planLeaving(read: Pick<Reads, "threadsOfProject" | "shares">, project: Project, person: string) {
  const own = (await read.threadsOfProject(project.id)).filter(({ owner }) => owner === person);
  const ids = new Set((await read.threadsOfProject(project.id)).map(({ id }) => id));
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
