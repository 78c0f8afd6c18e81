import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";

type GroupRow = RowOf<"user_groups"> & { readonly people: number };

/** Groups of users and their projects. Roles that groups give are read with the members of projects. */
export const readGroups = (db: Kysely<Tables>) => {
  const withPeople = () =>
    db
      .selectFrom("user_groups")
      .selectAll("user_groups")
      .select((eb) =>
        eb
          .selectFrom("group_people")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .whereRef("group_people.group_id", "=", "user_groups.id")
          .as("people"),
      );
  const toRow = (row: RowOf<"user_groups"> & { readonly people: number | string | null }): GroupRow => ({
    ...row,
    people: Number(row.people ?? 0),
  });
  return {
    /** All groups, by name. */
    groups: async (): Promise<readonly GroupRow[]> =>
      (await withPeople().orderBy("name_key").orderBy("id").execute()).map(toRow),

    group: async (id: string): Promise<GroupRow | undefined> =>
      (await withPeople().where("id", "=", id).execute()).map(toRow)[0],

    groupPeople: (group: string): Promise<readonly RowOf<"group_people">[]> =>
      db.selectFrom("group_people").selectAll().where("group_id", "=", group).orderBy("person").execute(),

    groupsOf: (person: string): Promise<readonly RowOf<"group_people">[]> =>
      db.selectFrom("group_people").selectAll().where("person", "=", person).orderBy("group_id").execute(),

    /** Groups of a project, by name. */
    groupsOfProject: async (
      project: string,
    ): Promise<readonly (GroupRow & Pick<RowOf<"project_groups">, "role">)[]> => {
      const rows = await withPeople()
        .innerJoin("project_groups", "project_groups.group_id", "user_groups.id")
        .select("project_groups.role")
        .where("project_groups.project", "=", project)
        .orderBy("name_key")
        .orderBy("id")
        .execute();
      return rows.map((row) => ({ ...toRow(row), role: row.role }));
    },

    projectsOfGroup: (group: string): Promise<readonly RowOf<"project_groups">[]> =>
      db.selectFrom("project_groups").selectAll().where("group_id", "=", group).orderBy("project").execute(),
  };
};
