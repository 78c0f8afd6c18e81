import type { Kysely } from "kysely";
import type { RowOf, Tables } from "../../schema.ts";
import type { Ask } from "../shapes.ts";

/** Projects and what is in them. What was deleted is found by its id alone. */
export const readProjects = (db: Kysely<Tables>, ask: Ask) => ({
  project: async (id: string): Promise<RowOf<"projects"> | undefined> => {
    const [row] = await ask("project", [id], ([id]) => db.selectFrom("projects").selectAll().where("id", "=", id));
    return row;
  },

  entity: async (project: string, id: string): Promise<RowOf<"entities"> | undefined> => {
    const [row] = await ask("entity", [project, id], ([project, id]) =>
      db.selectFrom("entities").selectAll().where("project", "=", project).where("id", "=", id),
    );
    return row;
  },
});
