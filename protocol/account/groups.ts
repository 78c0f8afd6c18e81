import { z } from "zod";
import { ClientId } from "../ids.ts";
import { PersonName } from "./accounts.ts";
import { UserId } from "./people.ts";

/** Limits of groups. A change of a group is one transaction over all of its users and projects, so both are bounded. */
export const groupLimits = { groups: 200, people: 100, projects: 100 } as const;

/** A group of users. Admins decide who is in it; owners of projects give it a role. */
export const Group = z.object({
  id: z.string(),
  name: z.string(),
  /** Number of users. */
  people: z.number(),
});
export type Group = z.infer<typeof Group>;

/** A group with its users, as admins see it. */
export const GroupDetails = z.object({
  group: Group,
  /** By name. */
  people: z.array(z.object({ userId: z.string(), name: z.string(), email: z.string(), suspended: z.boolean() })),
  /** Number of projects that the group is a member of. */
  projects: z.number(),
});
export type GroupDetails = z.infer<typeof GroupDetails>;

const none = z.object({});
const group = z.object({ groupId: ClientId });
const person = z.object({ groupId: ClientId, userId: UserId });

export const groupApi = {
  listGroups: {
    summary: "The groups of this server, by name, without their users. None without accounts",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ groups: z.array(Group) }),
  },
  createGroup: {
    summary: "Create a group of users",
    params: none,
    query: none,
    body: z.object({ id: ClientId, name: PersonName }).strict(),
    status: 201,
    response: z.object({ group: Group }),
  },
  getGroup: {
    summary: "A group with its users and the number of its projects",
    params: group,
    query: none,
    body: null,
    status: 200,
    response: GroupDetails,
  },
  changeGroup: {
    summary: "Rename a group",
    params: group,
    query: none,
    body: z.object({ name: PersonName }).strict(),
    status: 200,
    response: z.object({ group: Group }),
  },
  deleteGroup: {
    summary: "Delete a group. Its users lose the access that they had through it, as if they were removed",
    params: group,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  addGroupPerson: {
    summary: "Add a user to a group, which gives access to its projects",
    params: person,
    query: none,
    body: none,
    status: 200,
    response: GroupDetails,
  },
  removeGroupPerson: {
    summary: "Remove a user from a group. The access that the user had only through it ends at once",
    params: person,
    query: none,
    body: null,
    status: 200,
    response: GroupDetails,
  },
} as const;
