import { sql, type Compilable, type CompiledQuery, type Kysely, type RawBuilder } from "kysely";
import type { Tables } from "../schema.ts";

/** Placeholder in a compiled query for a value that each call binds. */
class Slot {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

export type Shapes = Map<string, CompiledQuery>;

/** Runs a named query, which is built once with slots for its values. */
export type Ask = <const V extends readonly unknown[], R>(
  name: string,
  values: V,
  build: (values: V) => Compilable<R>,
) => Promise<R[]>;

/** Caches compiled queries: building one costs several times as much as running it, and a turn runs about twenty. */
export const createAsk =
  (db: Kysely<Tables>, shapes: Shapes): Ask =>
  async <const V extends readonly unknown[], R>(name: string, values: V, build: (values: V) => Compilable<R>) => {
    let shape = shapes.get(name);
    if (!shape) {
      shape = build(values.map((_, index) => new Slot(index)) as unknown as V).compile();
      shapes.set(name, shape);
    }
    const parameters = shape.parameters.map((value) => (value instanceof Slot ? values[value.index] : value));
    const { rows } = await db.executeQuery({ ...shape, parameters } as CompiledQuery<R>);
    return rows;
  };

export const toCompilableWith =
  (db: Kysely<Tables>) =>
  <R>(query: RawBuilder<R>): Compilable<R> => ({ compile: () => query.compile(db) });

export type Values = readonly (string | number)[];

/** Pads a list to a power of two with values that match nothing, so that there are few distinct statements. */
export const createAskEach =
  (ask: Ask) =>
  async <R, const V extends Values>(
    name: string,
    list: Values,
    values: V,
    build: (list: Values, values: V) => Compilable<R>,
  ): Promise<readonly R[]> => {
    if (list.length === 0) return [];
    let size = 4;
    while (size < list.length) size *= 2;
    const none = typeof list[0] === "number" ? -1 : "";
    const filled = [...list, ...Array.from({ length: size - list.length }, () => none)];
    const rows = await ask(`${name} ${size}`, [...values, ...filled], (slots) =>
      build(slots.slice(values.length), slots.slice(0, values.length) as unknown as V),
    );
    // As a condition in SQL, it would let SQLite reverse the join order.
    return rows.filter((row) => !Object.values(row as object).includes(null));
  };

/**
 * A list as a table for the left side of a join, so that both databases look up its items one by one by key. With `in`, a
 * planner without statistics, or with a long list, would read the whole thread.
 */
export const toTexts = (list: Values): RawBuilder<unknown> =>
  sql`(values ${sql.join(list.map((one) => sql`(cast(${one} as text))`))})`;
