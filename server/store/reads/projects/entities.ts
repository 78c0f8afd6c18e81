import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../../schema.ts";
import type { Ask } from "../cached-queries.ts";
import { readEach } from "./each.ts";

/** An entity without the long columns body and terms. */
const light = [
  "project",
  "id",
  "kind",
  "title",
  "state",
  "ended",
  "priority",
  "starts_at",
  "ends_at",
  "parent",
  "position",
  "version",
  "deleted",
  "created_at",
  "updated_at",
] as const;
type LightEntity = Pick<RowOf<"entities">, (typeof light)[number]>;
type FullEntity = LightEntity & Pick<RowOf<"entities">, "body">;

const lightOfE = sql.join(light.map((column) => sql.ref(`e.${column}`)));

/** Children of a parent (null: entities without a parent) after a position, or before it in reverse order. */
type SiblingWindow = {
  readonly project: string;
  readonly parent: string | null;
  readonly from: { readonly position: number; readonly id: string } | null;
  readonly back: boolean;
  readonly limit: number;
};

/** A literal, because the partial index on entities that are not deleted is used only with a literal. */
const alive = sql<boolean>`deleted = 0`;

/** Entities of a project. Deleted ones are returned only by id. */
export const readEntities = (db: Kysely<Tables>, ask: Ask) => ({
  entity: async (project: string, id: string): Promise<RowOf<"entities"> | undefined> => {
    const [row] = await ask("entity", [project, id], ([project, id]) =>
      db
        .selectFrom("entities")
        .select([...light, "body", "terms"])
        .where("project", "=", project)
        .where("id", "=", id),
    );
    return row;
  },

  entitiesById: (project: string, ids: readonly string[]): Promise<readonly LightEntity[]> =>
    readEach(
      db,
      ids,
      "id",
      (w) => sql<LightEntity>`
      select ${lightOfE} from ${w} left join entities e on e.project = ${project} and e.id = w.column1`,
    ),

  fullEntities: (project: string, ids: readonly string[]): Promise<readonly FullEntity[]> =>
    readEach(
      db,
      ids,
      "id",
      (w) => sql<FullEntity>`
      select ${lightOfE}, e.body from ${w} left join entities e on e.project = ${project} and e.id = w.column1`,
    ),

  /** Unordered; the limit is approximate. */
  childrenOf: (project: string, parents: readonly string[], limit: number): Promise<readonly LightEntity[]> =>
    readEach(
      db,
      parents,
      "id",
      (w) => sql<LightEntity>`
      select ${lightOfE} from ${w} left join entities e on e.project = ${project} and e.parent = w.column1
        and e.deleted = 0 limit ${limit + parents.length}`,
    ),

  entitySiblings: ({ project, parent, from, back, limit }: SiblingWindow): Promise<readonly LightEntity[]> => {
    let query = db.selectFrom("entities").select(light).where("project", "=", project).where(alive);
    query = parent === null ? query.where("parent", "is", null) : query.where("parent", "=", parent);
    if (from) {
      const place = sql`(position, id)`;
      const other = sql`(${from.position}, ${from.id})`;
      query = query.where(back ? sql<boolean>`${place} < ${other}` : sql<boolean>`${place} > ${other}`);
    }
    const direction = back ? "desc" : "asc";
    // Ordered by the constant parent too, so that PostgreSQL can use the order of the index.
    return query
      .orderBy("parent", direction)
      .orderBy("position", direction)
      .orderBy("id", direction)
      .limit(limit)
      .execute();
  },

  /** Number of entities in a project, up to a limit. */
  countEntities: async (project: string, most: number): Promise<number> => {
    const [row] = await ask("count entities", [project, most], ([project, most]) =>
      db
        .selectFrom(
          db.selectFrom("entities").select("id").where("project", "=", project).where(alive).limit(most).as("some"),
        )
        .select(({ fn }) => fn.countAll<number>().as("n")),
    );
    return row?.n ?? 0;
  },

  /** By kind: the number of entities, of open ones, and of open ones that end before this time. */
  entityCounts: (project: string, now: number) =>
    ask("entity counts", [project, now], ([project, now]) =>
      db
        .selectFrom("entities")
        .select(({ fn, eb }) => [
          "kind",
          fn.countAll<number>().as("total"),
          fn.sum<number>(eb.case().when("ended", "=", eb.lit(0)).then(eb.lit(1)).else(eb.lit(0)).end()).as("open"),
          fn
            .sum<number>(
              eb
                .case()
                .when(eb.and([eb("ended", "=", eb.lit(0)), eb("ends_at", "<", now)]))
                .then(eb.lit(1))
                .else(eb.lit(0))
                .end(),
            )
            .as("overdue"),
        ])
        .where("project", "=", project)
        .where(alive)
        .groupBy("kind"),
    ),
});
