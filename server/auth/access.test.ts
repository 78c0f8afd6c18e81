import { expect, test } from "vitest";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { findProjectAccess, findThreadAccess, listProjectsOf, planStillEditor } from "./access.ts";
import { authorize, type Action, type OwnedObject } from "./authorize.ts";

type Project = RowOf<"projects">;
const project = (id: string, owner: string, updated_at = 1): Project =>
  ({ id, owner, name: id, updated_at }) as Partial<Project> as Project;
const projects = [project("plan", "olga"), project("other", "mallory")];
/** Roles of users in the project `plan`. */
const roles: Readonly<Record<string, string>> = {
  eddi: "editor",
  vera: "viewer",
  odd: "emperor",
  olaf: "owner",
  greta: "editor",
};

const read = {
  project: async (id) => projects.find((one) => one.id === id),
  member: async (object, person) => {
    const role = object === "plan" ? roles[person] : undefined;
    const through = person === "greta" ? "editors" : null;
    return role === undefined ? undefined : { object, person, role, through };
  },
} satisfies Pick<Reads, "project" | "member">;

const thread = (part: object) => ({ owner: "eddi", shared: 1, project: "plan", ...part }) as const;

const actions: readonly Action[] = ["read", "change", "delete"];
const allowed = (userId: string, object: OwnedObject | undefined): readonly Action[] =>
  actions.filter((action) => {
    try {
      authorize({ userId }, object, action);
      return true;
    } catch {
      return false;
    }
  });

test.each([
  ["olga", "read change delete"],
  ["olaf", "read change delete"],
  ["eddi", "read change"],
  ["vera", "read"],
  ["odd", ""],
  ["mallory", ""],
  ["", ""],
])("in a project %s may: %s", async (userId, expected) => {
  expect(allowed(userId, await findProjectAccess(read, userId, projects[0])).join(" ")).toBe(expected);
});

test.each([
  ["olga", "read change delete"],
  ["eddi", "read change delete"],
  ["vera", "read"],
  ["mallory", ""],
])("in a shared thread that an editor started %s may: %s", async (userId, expected) => {
  expect(allowed(userId, await findThreadAccess(read, userId, thread({}))).join(" ")).toBe(expected);
});

test("who started a shared thread has no more than the role in its project", async () => {
  expect(allowed("vera", await findThreadAccess(read, "vera", thread({ owner: "vera" })))).toEqual(["read"]);
  expect(allowed("mallory", await findThreadAccess(read, "mallory", thread({ owner: "mallory" })))).toEqual([]);
  expect(allowed("eddi", await findThreadAccess(read, "eddi", thread({ owner: "olga" })))).toEqual(["read", "change"]);
});

test("a private thread belongs to its owner alone, whatever its project", async () => {
  const own = thread({ shared: 0 });
  expect(allowed("eddi", await findThreadAccess(read, "eddi", own))).toEqual(actions);
  expect(allowed("olga", await findThreadAccess(read, "olga", own))).toEqual([]);
  expect((await findThreadAccess(read, "eddi", own))?.role).toBeUndefined();
});

test("a shared thread without a project and missing objects are accessible to no user", async () => {
  for (const lost of [thread({ project: null }), thread({ project: "gone" })]) {
    expect(allowed("eddi", await findThreadAccess(read, "eddi", lost))).toEqual([]);
  }
  expect((await findProjectAccess(read, "odd", projects[0]))?.role).toBeNull();
  expect(await findThreadAccess(read, "eddi", undefined)).toBeUndefined();
  expect(await findProjectAccess(read, "olga", undefined)).toBeUndefined();
  expect(allowed("eddi", undefined)).toEqual([]);
});

test("access names the owner and has the row", async () => {
  const [plan] = projects;
  expect(await findProjectAccess(read, "eddi", plan)).toEqual({ ownerId: "olga", row: plan, role: "editor" });
  const row = thread({});
  expect(await findThreadAccess(read, "vera", row)).toEqual({ ownerId: "eddi", row, role: "viewer" });
});

test("a batch of an editor fails without the editor's row, and one of the owner without the ownership", async () => {
  expect(await planStillEditor(read, "eddi", null)).toEqual([]);
  expect(await planStillEditor(read, "eddi", "gone")).toEqual([]);
  expect(await planStillEditor(read, "eddi", "plan")).toEqual([
    {
      do: "update",
      table: "members",
      set: { role: "editor" },
      where: { object: "plan", person: "eddi", role: "editor" },
      expectOne: true,
    },
  ]);
  expect(await planStillEditor(read, "olga", "plan")).toEqual([
    {
      do: "update",
      table: "projects",
      set: { owner: "olga" },
      where: { id: "plan", owner: "olga" },
      expectOne: true,
    },
  ]);
});

test("a batch of an editor through a group fails without the group's row or the user's row in the group", async () => {
  expect(await planStillEditor(read, "greta", "plan")).toEqual([
    {
      do: "update",
      table: "project_groups",
      set: { role: "editor" },
      where: { project: "plan", group_id: "editors", role: "editor" },
      expectOne: true,
    },
    {
      do: "update",
      table: "group_people",
      set: { person: "greta" },
      where: { group_id: "editors", person: "greta" },
      expectOne: true,
    },
  ]);
});

test("lists own projects and those of others by their last change, as many as asked for", async () => {
  const own = [project("a", "olga", 5), project("b", "olga", 2)];
  const others = [project("d", "x", 9), project("c", "x", 2), project("e", "x", 1)];
  const asked: unknown[] = [];
  const lists = {
    projectsOf: async (...given: unknown[]) => {
      asked.push(given);
      return own;
    },
    projectsWith: async (...given: unknown[]) => {
      asked.push(given);
      return others;
    },
  };
  const idsOf = async (limit: number) => (await listProjectsOf(lists, "olga", true, limit)).map(({ id }) => id);
  expect(await idsOf(10)).toEqual(["d", "a", "c", "b", "e"]);
  expect(await idsOf(2)).toEqual(["d", "a"]);
  expect(asked[0]).toEqual(["olga", true, 10]);
  expect(asked[1]).toEqual(["olga", true, 10]);
  const none = { ...lists, projectsWith: async () => [] };
  expect(await listProjectsOf(none, "olga", false, 1)).toBe(own);
});
