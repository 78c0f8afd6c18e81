import { expect, test } from "vitest";
import type { Part } from "../../../protocol/parts.ts";
import { listWritten, readEntities } from "./read-acts.ts";

const tool = (part: Partial<Extract<Part, { kind: "tool" }>>): Extract<Part, { kind: "tool" }> =>
  ({ id: "p", v: 1, n: 1, step: 1, kind: "tool", callId: "c", name: "create_entities", state: "ok", ...part }) as never;
const project = { id: "p1", name: "Garden" };

test("reads entities with their project and skips those without a title", () => {
  const output = {
    project,
    entities: [
      { id: "e1", kind: "task", title: "Dig", state: "open" },
      { id: "e2", kind: "task" },
      { id: "e3", kind: "task", title: "Far", project_id: "p2" },
    ],
  };
  expect(readEntities(tool({ output })).map(({ id, projectId }) => [id, projectId])).toEqual([
    ["e1", "p1"],
    ["e3", "p2"],
  ]);
  expect(readEntities(tool({ output: "nonsense" }))).toEqual([]);
});

test("lists each project once, from calls that wrote, including calls through use_tool", () => {
  expect(
    listWritten([
      tool({ output: { project, act_id: "a1" } }),
      tool({ output: { project, act_id: "a2" } }),
      tool({ name: "write_file", output: { actId: "a3", path: "a.ts" } }),
      tool({ name: "use_tool", input: { name: "update_entities" }, output: { project: { id: "p2" }, act_id: "a4" } }),
      tool({ state: "error", output: { project: { id: "p3" }, act_id: "a5" } }),
      tool({ name: "list_entities", output: { project, entities: [] } }),
    ]),
  ).toEqual(["p1", "", "p2"]);
});
