import { describe, expect, test } from "vitest";
import { continueProjectRequest, findProjectRequest, startProjectRequest } from "./project.ts";
import { readNow } from "./request.ts";

// A Sunday.
const now = Date.UTC(2026, 10, 15, 9, 30);
const requestFor = (text: string) => findProjectRequest(text, now);
const entity = (text: string) => {
  const found = requestFor(text);
  return found?.do === "call" ? (found.input["entities"] as readonly object[])[0] : found;
};
const listing = (text: string) => {
  const found = requestFor(text);
  return found?.do === "call" ? [found.tool, found.input] : found;
};

describe("adding", () => {
  test.each([
    ["Create a project called Harbour wall", { kind: "project", title: "Harbour wall" }],
    ["start a new project: Garden", { kind: "project", title: "Garden" }],
    ["add a task to order granite", { kind: "task", title: "order granite" }],
    ["Please add a task: order granite by 2026-11-20", { kind: "task", title: "order granite", ends: "2026-11-20" }],
    ["add a high priority task order granite", { kind: "task", title: "order granite", priority: "high" }],
    ["Add a task to call Ann due tomorrow", { kind: "task", title: "call Ann", ends: "2026-11-16" }],
    ["add a to-do “sweep the yard” by Friday", { kind: "task", title: "sweep the yard", ends: "2026-11-20" }],
    ["add an event on 2026-11-20 Site visit", { kind: "event", title: "Site visit", starts: "2026-11-20" }],
    [
      "write a document called Offer with Granite costs 90 a ton.",
      { kind: "document", title: "Offer", body: "Granite costs 90 a ton" },
    ],
    ["write a document Offer: Granite costs 90.", { kind: "document", title: "Offer", body: "Granite costs 90" }],
    ["add a goal to finish before winter", { kind: "goal", title: "finish before winter" }],
    ["add a milestone Wall stands by 2026-11-30", { kind: "milestone", title: "Wall stands", ends: "2026-11-30" }],
  ])("%s", (text, expected) => expect(entity(text)).toEqual(expected));
});

describe("listing", () => {
  test.each([
    ["list my tasks", ["list_entities", { kinds: ["task"] }]],
    ["What are my open tasks?", ["list_entities", { kinds: ["task"], open: true }]],
    ["which tasks are open?", ["list_entities", { kinds: ["task"] }]],
    ["What tasks do I have?", ["list_entities", { kinds: ["task"] }]],
    ["What is overdue?", ["list_entities", { overdue: true }]],
    ["which tasks are overdue", ["list_entities", { kinds: ["task"], overdue: true }]],
    ["show me the document tree", ["get_entity", { tree: true }]],
    ["list my projects", ["list_entities", { kinds: ["project"] }]],
    ["show the risks", ["list_entities", { kinds: ["risk"] }]],
  ])("%s", (text, expected) => expect(listing(text)).toEqual(expected));
});

describe("changing", () => {
  test.each([
    ["mark order granite done", "change", "order granite", undefined, { state: "done" }],
    ["Mark the task order granite as done.", "change", "order granite", "task", { state: "done" }],
    ["set the goal finish before winter to reached", "change", "finish before winter", "goal", { state: "reached" }],
    ["rename order granite to Order basalt", "change", "order granite", undefined, { title: "Order basalt" }],
    ["delete the task order granite", "delete", "order granite", "task", undefined],
  ])("%s", (text, act, name, kind, set) =>
    expect(requestFor(text)).toEqual({ do: act, name, kind, ...(set ? { set } : {}) }),
  );
});

test.each([
  "I marked the exam done yesterday and it was hard",
  "The task is hard.",
  "Tell me about granite",
  "What is granite?",
  "My plan is to swim.",
  "rename src/a.ts to src/b.ts",
  "delete src/a.ts",
  "remember that I like tea",
  "search for tasks in psychology",
])("ignores: %s", (text) => expect(requestFor(text)).toBeUndefined());

test("leaves relative dates in the title when the time is unknown", () => {
  expect(findProjectRequest("add a task to call Ann by Friday", undefined)).toEqual({
    do: "call",
    tool: "create_entities",
    input: { entities: [{ kind: "task", title: "call Ann by Friday" }] },
  });
});

test("reads the newest time in the prompt", () => {
  const texts = [
    "<now>Sunday, 15 November 2026, 09:30 UTC</now>",
    "It was 3 May 2020, 10:00 UTC",
    "<now><recall></recall></now>",
  ];
  expect(readNow(texts)).toBe(now);
  expect(readNow(["hello"])).toBeUndefined();
});

test("creates a project and a task in it from one sentence", () => {
  const request = findProjectRequest("Start a project called Garden and add a task to buy seeds", undefined);
  if (!request) throw new Error("not understood");
  const first = startProjectRequest(request);
  expect(first).toEqual({ name: "create_entities", input: { entities: [{ kind: "project", title: "Garden" }] } });
  const done = {
    ...{ ...first, callId: "1", failed: false },
    text: JSON.stringify({ entities: [{ id: "p1", kind: "project", title: "Garden" }] }),
  };
  const next = continueProjectRequest(request, [done]);
  const entities = [{ kind: "task", title: "buy seeds" }];
  expect(next).toEqual([{ name: "create_entities", input: { project_id: "p1", entities } }]);
  expect(continueProjectRequest(request, [done, { ...done, ...next[0], text: JSON.stringify({ entities }) }])).toEqual(
    [],
  );
  expect(findProjectRequest("Start a project called Salt and pepper", undefined)).toMatchObject({
    input: { entities: [{ title: "Salt and pepper" }] },
  });
});
