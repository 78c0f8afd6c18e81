import type { Compilable, CompiledQuery, Kysely } from "kysely";
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
