import { expect, test } from "vitest";
import { toolContext, toolDeps } from "../../test/support/server/tool-context.ts";
import { toChangeId } from "../memory/plan.ts";
import { createRedactor } from "../redact/redact.ts";
import type { RowOf } from "../store/schema.ts";
import type { Tool, ToolContext } from "./tool.ts";
import create from "./working-memory.tool.ts";

const tool = create({ ...toolDeps, clock: { now: () => 7, monotonic: () => 0 } }) as Tool;

const contextWith = (values: Readonly<Record<string, string>>) =>
  toolContext({
    read: {
      memory: async (): Promise<readonly RowOf<"memory">[]> =>
        Object.entries(values).map(([field, value]) => ({
          ...{ owner: "u", field, value, change: "c", untrusted: "[]", updated_at: 1 },
        })),
      memoryChange: async () => undefined,
      run: async () => ({ message: "answer" }),
    } as unknown as ToolContext["read"],
  });

test("without changes it returns the memory and writes nothing", async () => {
  const context = contextWith({ name: "Ann", extra: '{"pet":"cat"}', notes: "" });
  const result = await tool.execute(tool.input.parse({}), context);
  expect(result).toEqual({ output: { memory: { name: "Ann", extra: { pet: "cat" } }, changes: [] } });
  expect(tool.summarize!({}, result.output)).toBe("viewed memory: name, extra");
});

test("returns each change with id, before and after, and the writes to commit", async () => {
  const input = tool.input.parse({
    changes: [
      { field: "interests", op: "append", value: "jazz", reason: "said so" },
      { field: "age", op: "replace", value: 41, reason: "birthday" },
      { field: "extra", op: "append", value: { pet: "cat" }, reason: "has one" },
    ],
  });
  const { output, commit } = await tool.execute(input, contextWith({ interests: "tea" }));
  expect(tool.output!.parse(output)).toMatchObject({
    changes: [
      {
        changeId: expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{10}00$/),
        field: "interests",
        before: "tea",
        after: "tea\njazz",
      },
      { field: "age", before: "", after: "41" },
      { field: "extra", before: "", after: '{"pet":"cat"}' },
    ],
  });
  expect(commit!.writes).toContainEqual(
    expect.objectContaining({
      table: "memory_changes",
      row: expect.objectContaining({ reason: "birthday", thread: "t", message: "answer", created_at: 7, owner: "u" }),
    }),
  );
  expect(commit!.events).toEqual([
    { stream: "user:u", event: { type: "memory-changed", fields: ["interests", "age", "extra"] } },
  ]);
  expect(tool.describe!(input)).toBe('Remember interests: jazz; remember age: 41; remember extra: {"pet":"cat"}');
  expect(tool.summarize!(input, output)).toBe('interests = tea\njazz; age = 41; extra = {"pet":"cat"}');
});

test("derives change ids from the call's key, so a retry has the same ids", async () => {
  const input = { changes: [{ field: "name", op: "replace", value: "Ann", reason: "r" }] };
  const idOf = async (key: string): Promise<unknown> =>
    ((await tool.execute(input, { ...contextWith({}), key })).output as { changes: unknown[] }).changes[0];
  expect(await idOf("run:part")).toEqual(await idOf("run:part"));
  expect(await idOf("run:part")).not.toEqual(await idOf("run:other"));
});

test("says when memory already contains the value", async () => {
  const input = { changes: [{ field: "name", op: "append", value: "ann", reason: "r" }] };
  expect(await tool.execute(input, contextWith({ name: "Ann" }))).toEqual({
    output: { changes: [], note: "Nothing changed: memory already contains this." },
    commit: { writes: [], events: [] },
  });
});

test("a value that is too long throws an error the model can act on", async () => {
  const input = { changes: [{ field: "notes", op: "append", value: "x".repeat(2001), reason: "r" }] };
  await expect(tool.execute(input, contextWith({}))).rejects.toThrow(
    /the limit is 2000\. Replace it with a shorter text/,
  );
  expect(tool.input.safeParse({ changes: [{ field: "shoe", op: "append", value: "43", reason: "r" }] }).success).toBe(
    false,
  );
  expect(tool.input.safeParse({ changes: [{ field: "name", op: "append", value: "Ann" }] }).success).toBe(false);
});

test("refuses to store a secret", async () => {
  const changes = [{ field: "notes", op: "append", value: "the password: hunter2horse!", reason: "r" }];
  await expect(tool.execute({ changes }, contextWith({}))).rejects.toThrow(/notes: this looks like a secret/);
});

test("change ids survive redaction, so changes can be undone by id", () => {
  const { value } = createRedactor({ salt: "s" });
  const changes = Array.from({ length: 2000 }, (_, n) => ({ changeId: toChangeId("u", `run:part-${n}`, n % 16) }));
  expect(value({ changes }).found).toEqual([]);
});

test("describes a removal as forgetting", () => {
  const describe = (change: object): string => tool.describe!({ changes: [{ reason: "r", ...change }] });
  expect(describe({ field: "notes", op: "remove" })).toBe("Forget notes");
  expect(describe({ field: "notes", op: "remove", value: "tea" })).toBe("Forget notes: tea");
});
