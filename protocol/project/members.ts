import { z } from "zod";
import { ClientId } from "../ids.ts";

/** Maximum members of a project that were added one by one, including the owner. */
export const MAX_MEMBERS = 100;
/** Maximum groups of a project. */
export const MAX_PROJECT_GROUPS = 10;

/** Viewers read; editors also write, ask and decide approvals; the owner also deletes and manages members. A project has one owner. */
export const ProjectRole = z.enum(["owner", "editor", "viewer"]);
export type ProjectRole = z.infer<typeof ProjectRole>;

export const MemberRole = z.enum(["editor", "viewer"]);
export type MemberRole = z.infer<typeof MemberRole>;

/** A user as others in a shared project see them. */
export const MessageAuthor = z.object({ id: z.string(), name: z.string() });
export type MessageAuthor = z.infer<typeof MessageAuthor>;

export const Member = z.object({
  userId: z.string(),
  name: z.string(),
  /** Only for the owner of the project, and your own. */
  email: z.string().nullable(),
  /** The highest of `ownRole` and the roles of the member's groups. */
  role: ProjectRole,
  /** The role without groups; null: the owner, or a member only through groups. */
  ownRole: MemberRole.nullable(),
  /** Names of the groups through which the user is a member. */
  groups: z.array(z.string()),
  /** Suspended: the account cannot be used until an admin ends the suspension. */
  suspended: z.boolean(),
});
export type Member = z.infer<typeof Member>;

/** A group that is a member of a project. Each of its users has at least this role. */
export const GroupMember = z.object({
  groupId: z.string(),
  name: z.string(),
  role: MemberRole,
  /** Number of users in the group. */
  people: z.number(),
});
export type GroupMember = z.infer<typeof GroupMember>;

const none = z.object({});
const project = z.object({ projectId: ClientId });
const member = z.object({ projectId: ClientId, userId: z.string().min(1).max(200) });
const group = z.object({ projectId: ClientId, groupId: ClientId });
const Members = z.object({
  /** The owner first, then by name. Users of groups are included. */
  members: z.array(Member),
  groups: z.array(GroupMember),
  /** Threads of the project that only you can see. */
  privateThreads: z.number(),
});

export const memberApi = {
  listMembers: {
    summary: "The people who have access to a project",
    params: project,
    query: none,
    body: null,
    status: 200,
    response: Members,
  },
  addMember: {
    summary: "Give the account with this email address access to a project; for its owner",
    params: project,
    query: none,
    body: z.object({ email: z.string().trim().min(3).max(320), role: MemberRole }).strict(),
    status: 200,
    response: Members,
  },
  changeMember: {
    summary: "Change a member's role in a project; for its owner",
    params: member,
    query: none,
    body: z.object({ role: MemberRole }).strict(),
    status: 200,
    response: Members,
  },
  removeMember: {
    summary: "Remove a member from a project, or leave it. The threads that they shared stay, as threads of the owner",
    params: member,
    query: none,
    body: null,
    status: 200,
    response: z.object({ userId: z.string() }),
  },
  setProjectGroup: {
    summary: "Give all users of a group a role in a project, or change it; for its owner",
    params: group,
    query: none,
    body: z.object({ role: MemberRole }).strict(),
    status: 200,
    response: Members,
  },
  removeProjectGroup: {
    summary: "Remove a group from a project; for its owner. Its users lose access unless they have another role there",
    params: group,
    query: none,
    body: null,
    status: 200,
    response: z.object({ groupId: z.string() }),
  },
  transferProject: {
    summary: "Make a member the owner of a project. You become an editor",
    params: project,
    query: none,
    body: z.object({ userId: z.string().min(1).max(200) }).strict(),
    status: 200,
    response: Members,
  },
} as const;
