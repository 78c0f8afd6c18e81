import fc from "../../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { userStream } from "../../../protocol/ids.ts";
import { batch } from "../../../test/support/store-rows.ts";
import type { EventRow, Live } from "../reads/log.ts";
import { createTails } from "./tails.ts";

const streams = [userStream("a"), userStream("b")];
const heads = ['{"type":"text-delta","n":0,"text":', '{"type":"text-delta","n":1,"text":', '{"type":"other","x":'];
const body = fc
  .tuple(
    fc.constantFrom(...heads),
    fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("ä", "😀", '"text":', "x") })),
  )
  .map(([head, text]) => `${head}${JSON.stringify(text)}}`);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      stream: fc.nat(1),
      bodies: fc.array(body, { minLength: 1, maxLength: 40 }),
      gap: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const), stream: fc.nat(1), after: fc.nat(60) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("capture" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
);

type Rows = readonly (readonly EventRow[])[];
function expectSame(live: Live, model: Rows): void {
  for (const [n, stream] of streams.entries()) {
    const all = model[n] ?? [];
    const last = all.at(-1)?.seq ?? 0;
    expect(live.head(stream)).toBe(last);
    const cursors = [0, 1, Math.floor(last / 2), last - 1, last, last + 1, ...all.slice(0, 5).map(({ seq }) => seq)];
    for (const after of cursors) expect(live.rows(stream, after)).toEqual(all.filter(({ seq }) => seq > after));
  }
}

test("has the rows of a plain list after any steps, and a snapshot keeps those of its moment", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const tails = createTails();
      const model: EventRow[][] = [[], []];
      const seqs = [0, 0];
      const snapshots: { readonly live: Live; readonly rows: Rows }[] = [];
      for (const one of steps) {
        if (one.do === "clear") {
          tails.clear();
          model.forEach((rows) => rows.splice(0));
        } else if (one.do === "capture")
          snapshots.push({ live: tails.capture(), rows: model.map((rows) => [...rows]) });
        else {
          const [stream, rows] = [streams[one.stream]!, model[one.stream]!];
          if (one.do === "add") {
            const first = seqs[one.stream]! + 1 + one.gap;
            tails.add({ stream, epoch: 1, bodies: one.bodies }, first);
            rows.push(...one.bodies.map((text, n) => ({ seq: first + n, body: text })));
            seqs[one.stream] = first + one.bodies.length - 1;
          } else {
            const where = { stream, transient: 1 as const, seq: { gt: one.after } };
            tails.apply(batch({ writes: [{ do: "delete", table: "events", where }] }));
            model[one.stream] = rows.filter(({ seq }) => seq <= one.after);
          }
        }
        expectSame(tails, model);
      }
      for (const { live, rows } of snapshots) expectSame(live, rows);
    }),
    { numRuns: 150 },
  );
});
