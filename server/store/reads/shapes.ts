import type { Compilable, CompiledQuery, Kysely } from "kysely";
import type { Tables } from "../schema.ts";

/** Stands in a query for a value that each call binds anew. */
class Slot {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

export type Shapes = Map<string, CompiledQuery>;

/** Runs the query of this name: built once with slots for its values, and from then on only bound to them. */
export type Ask = <const V extends readonly unknown[], R>(
  name: string,
  values: V,
  build: (values: V) => Compilable<R>,
) => Promise<R[]>;

/** Building a query costs several times what running it does, and a turn makes some twenty of them. */
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
