import fc from "../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { memoryFields, memoryLimits, type MemoryField } from "../../protocol/memory.ts";
import type { RowOf } from "../store/schema.ts";
import { changeValue } from "./change-value.ts";
import { planChanges, planUndo, type FieldChange, type MemoryPlan, type Situation } from "./plan.ts";

describe("changeValue", () => {
  test.each<[string, FieldChange["op"], string, string]>([
    ["", "append", "tea", "tea"],
    ["tea", "append", "jazz", "tea\njazz"],
    ["tea\njazz", "append", " Tea ", "tea\njazz"],
    ["tea", "replace", "tea and jazz", "tea and jazz"],
    ["tea", "replace", "jazz", "jazz"],
    ["tea", "replace", "", ""],
    ["tea", "remove", "", ""],
    ["tea\njazz", "remove", "TEA", "jazz"],
    ["tea, jazz; chess", "remove", "jazz", "tea, chess"],
    ["tea", "remove", "tea", ""],
    ["", "replace", "  a\r\nb\0 ", "a\nb\uFFFD"],
  ])("%j after %s of %j is %j", (before, op, value, after) => {
    expect(changeValue("interests", before, { op, value })).toBe(after);
  });

  test("removing a missing entry fails and shows the current value", () => {
    expect(() => changeValue("interests", "tea with Ann", { op: "remove", value: "tea" })).toThrow(
      '"tea" is not an entry of interests, which is "tea with Ann". Replace the field with the text that should remain.',
    );
  });

  test("appending an empty value fails", () => {
    expect(() => changeValue("notes", "x", { op: "append", value: " " })).toThrow(/give a value/);
  });
});

describe("extra", () => {
  const change = (before: string, op: FieldChange["op"], value: string) => changeValue("extra", before, { op, value });
  test("is a JSON object: append merges keys, remove deletes one", () => {
    expect(change("", "append", '{"a": 1}')).toBe('{"a":1}');
    expect(change('{"a":1}', "append", '{"b":[2],"a":3}')).toBe('{"a":3,"b":[2]}');
    expect(change('{"a":1,"b":2}', "remove", "a")).toBe('{"b":2}');
    expect(change('{"a":1}', "remove", "a")).toBe("");
    expect(change('{"a":1}', "replace", "{}")).toBe("");
    expect(change('{"a":1}', "replace", "")).toBe("");
  });
  test.each(["not json", "[1]", '"text"', "1", "null"])("%s is rejected", (value) => {
    expect(() => change("", "replace", value)).toThrow(/JSON object/);
  });
  test("removing a missing key fails and lists the existing keys", () => {
    expect(() => change('{"a":1}', "remove", "b")).toThrow('extra has no key "b". It has "a".');
    expect(() => change('{"a":1}', "remove", "toString")).toThrow(/no key/);
  });
  test("special JavaScript property names are ordinary keys", () => {
    expect(change('{"a":1}', "append", '{"__proto__":{"x":1}}')).toBe('{"a":1,"__proto__":{"x":1}}');
  });
});

type Table = { memory: Map<string, RowOf<"memory">>; changes: Map<string, RowOf<"memory_changes">> };
const origin = { threadId: "t", messageId: "m", untrusted: [] };
const change = (field: MemoryField, op: FieldChange["op"], value: string): FieldChange => ({
  field,
  op,
  value,
  reason: "why",
});
const situationOf = ({ memory, changes }: Table): Situation => ({
  userId: "u",
  rows: [...memory.values()],
  recorded: changes,
  now: 1,
});

/** Applies a plan like the store: fails if an inserted row exists or a condition no longer holds. */
function apply(table: Table, { writes }: MemoryPlan): void {
  const need = (isSo: boolean): void => {
    if (!isSo) throw new Error("the store would refuse this plan");
  };
  for (const write of writes) {
    if (write.table === "memory" && write.do === "insert") {
      need(!table.memory.has(write.row.field as string));
      table.memory.set(write.row.field as string, write.row as RowOf<"memory">);
    } else if (write.table === "memory" && write.do === "update") {
      const row = table.memory.get(write.where.field as string)!;
      need(row.change === write.where.change);
      table.memory.set(row.field, { ...row, ...(write.set as object) });
    } else if (write.table === "memory_changes" && write.do === "insert") {
      need(!table.changes.has(write.row.id as string));
      table.changes.set(write.row.id as string, write.row as RowOf<"memory_changes">);
    } else if (write.table === "memory_changes" && write.do === "update") {
      const row = table.changes.get(write.where.id as string)!;
      table.changes.set(row.id, { ...row, ...(write.set as object) });
    } else throw new Error(`a plan does not write ${write.table}`);
  }
}
const valuesOf = ({ memory }: Table): Record<string, string> =>
  Object.fromEntries(
    [...memory.values()].filter(({ value }) => value !== "").map(({ field, value }) => [field, value]),
  );
const emptyTable = (): Table => ({ memory: new Map(), changes: new Map() });

test("rejects values above the limits of a field or of all fields, and truncates nothing", () => {
  const { fieldCharacters, totalCharacters } = memoryLimits;
  const plan = (table: Table, ...changes: readonly FieldChange[]) =>
    planChanges(situationOf(table), changes, { key: "k", ...origin });
  const table = emptyTable();
  apply(table, plan(table, change("notes", "replace", "x".repeat(fieldCharacters))));
  expect(table.memory.get("notes")!.value).toHaveLength(fieldCharacters);
  const more = { ...table, changes: new Map() };
  expect(() => plan(more, change("notes", "append", "y"))).toThrow(
    "notes would have 2002 characters; the limit is 2000. Replace it with a shorter text",
  );
  const fields = memoryFields.slice(0, totalCharacters / fieldCharacters).filter((field) => field !== "notes");
  const fill = fields.map((field) => change(field, "replace", "x".repeat(fieldCharacters)));
  expect(() => plan(more, ...fill)).toThrow(/All fields together would have 10000 characters; the limit is 8000/);
  expect(plan(more, ...fill.slice(1), change("notes", "remove", "")).changes.at(-1)).toMatchObject({ after: "" });
});

test("one invalid change rejects the whole call", () => {
  const changes = [change("name", "replace", "Ann"), change("extra", "replace", "no json")];
  expect(() => planChanges(situationOf(emptyTable()), changes, { key: "k", ...origin })).toThrow(/JSON/);
});

test("a change without effect is not recorded", () => {
  const plan = planChanges(situationOf(emptyTable()), [change("name", "replace", "")], { key: "k", ...origin });
  expect(plan).toEqual({ changes: [], writes: [], events: [] });
});

const text = fc.constantFrom("tea", "jazz", "chess", "tea, jazz", "Ann", "");
const someChange = fc.record({
  field: fc.constantFrom<MemoryField>("name", "interests", "notes"),
  op: fc.constantFrom<FieldChange["op"]>("append", "replace", "remove"),
  value: text,
  reason: fc.constant("why"),
});

test("undoing all changes, newest first, restores every earlier state", () => {
  let undone = 0;
  fc.assert(
    fc.property(fc.array(fc.array(someChange, { minLength: 1, maxLength: 3 }), { maxLength: 8 }), (calls) => {
      const table = emptyTable();
      const made: { readonly id: string; readonly before: Record<string, string> }[] = [];
      for (const [n, changes] of calls.entries()) {
        let plan: MemoryPlan;
        try {
          plan = planChanges(situationOf(table), changes, { key: `call ${n}`, ...origin });
        } catch {
          continue;
        }
        const before = { ...valuesOf(table) };
        for (const { id, field, after } of plan.changes) {
          made.push({ id, before: { ...before } });
          if (after === "") delete before[field];
          else before[field] = after;
        }
        apply(table, plan);
        expect(valuesOf(table)).toEqual(before);
      }
      for (const { id, before } of made.toReversed()) {
        apply(table, planUndo(situationOf(table), table.changes.get(id)!, `undo ${id}`));
        expect(valuesOf(table)).toEqual(before);
        undone += 1;
      }
      expect(valuesOf(table)).toEqual({});
    }),
    { numRuns: 300 },
  );
  expect(undone).toBeGreaterThan(300);
});

test("planning a committed key again writes nothing and returns the same changes", () => {
  const plain = someChange.filter(({ op, value }) => op === "replace" && value !== "");
  fc.assert(
    fc.property(fc.array(plain, { minLength: 1, maxLength: 5 }), (changes) => {
      const table = emptyTable();
      const plan = planChanges(situationOf(table), changes, { key: "k", ...origin });
      apply(table, plan);
      const again = planChanges(situationOf(table), changes, { key: "k", ...origin });
      expect(again).toEqual({ changes: plan.changes, writes: [], events: [] });
    }),
  );
});
