import { describe, expect, test } from "vitest";
import { findAsked } from "./asked.ts";
import { readNow } from "./when.ts";

/** A Sunday. */
const now = Date.UTC(2026, 10, 15, 9, 30);
const asked = (text: string) => findAsked(text, now);
const entity = (text: string) => {
  const found = asked(text);
  return found?.do === "call" ? (found.input["entities"] as readonly object[])[0] : found;
};
const listing = (text: string) => {
  const found = asked(text);
  return found?.do === "call" ? [found.tool, found.input] : found;
};

describe("something is added", () => {
  test.each([
    ["Create a project called Harbour wall", { kind: "project", title: "Harbour wall" }],
    ["start a new project: Garden", { kind: "project", title: "Garden" }],
    ["add a task to order granite", { kind: "task", title: "order granite" }],
    ["Please add a task: order granite by 2026-11-20", { kind: "task", title: "order granite", ends: "2026-11-20" }],
    ["add a high priority task order granite", { kind: "task", title: "order granite", priority: "high" }],
    ["add a task order granite, urgent priority", { kind: "task", title: "order granite", priority: "urgent" }],
    ["Add a task to call Ann due tomorrow", { kind: "task", title: "call Ann", ends: "2026-11-16" }],
    ["add a to-do “sweep the yard” by Friday", { kind: "task", title: "sweep the yard", ends: "2026-11-20" }],
    ["add an event on 2026-11-20 Site visit", { kind: "event", title: "Site visit", starts: "2026-11-20" }],
    [
      "add an event Site visit on 20 November at 14:00",
      { kind: "event", title: "Site visit", starts: "2026-11-20T14:00Z" },
    ],
    ["create a meeting called Review tomorrow at 3pm", { kind: "event", title: "Review", starts: "2026-11-16T15:00Z" }],
    [
      "add an event Fair from 2026-12-01 to 2026-12-03",
      { kind: "event", title: "Fair", starts: "2026-12-01", ends: "2026-12-03" },
    ],
    [
      "write a document called Offer with Granite costs 90 a ton.",
      { kind: "document", title: "Offer", body: "Granite costs 90 a ton" },
    ],
    ["write a document Offer: Granite costs 90.", { kind: "document", title: "Offer", body: "Granite costs 90" }],
    ["add a goal to finish before winter", { kind: "goal", title: "finish before winter" }],
    [
      "add a milestone Wall stands by November 30, 2026",
      { kind: "milestone", title: "Wall stands", ends: "2026-11-30" },
    ],
  ])("%s", (text, expected) => expect(entity(text)).toEqual(expected));
});

describe("something is asked for", () => {
  test.each([
    ["list my tasks", ["list_entities", { kinds: ["task"] }]],
    ["What are my open tasks?", ["list_entities", { kinds: ["task"], open: true }]],
    ["which tasks are open?", ["list_entities", { kinds: ["task"] }]],
    ["What tasks do I have?", ["list_entities", { kinds: ["task"] }]],
    ["What is overdue?", ["list_entities", { overdue: true }]],
    ["which tasks are overdue", ["list_entities", { kinds: ["task"], overdue: true }]],
    ["show me the document tree", ["get_entity", { tree: true }]],
    ["list my projects", ["list_entities", { kinds: ["project"] }]],
    ["what's on my calendar?", ["list_entities", { kinds: ["event"], sort: "due" }]],
    ["show the risks", ["list_entities", { kinds: ["risk"] }]],
  ])("%s", (text, expected) => expect(listing(text)).toEqual(expected));
});

describe("something is changed", () => {
  test.each([
    ["mark order granite done", "change", "order granite", undefined, { state: "done" }],
    ["Mark the task order granite as done.", "change", "order granite", "task", { state: "done" }],
    ["set the goal finish before winter to reached", "change", "finish before winter", "goal", { state: "reached" }],
    ["complete order granite", "change", "order granite", undefined, { state: "done" }],
    ["reopen the task order granite", "change", "order granite", "task", { state: "open" }],
    ["rename order granite to Order basalt", "change", "order granite", undefined, { title: "Order basalt" }],
    ["set the priority of order granite to high", "change", "order granite", undefined, { priority: "high" }],
    ["add to the document Offer: and 20 for the way", "change", "Offer", "document", { append: "and 20 for the way" }],
    ["delete the task order granite", "delete", "order granite", "task", undefined],
  ])("%s", (text, act, name, kind, set) =>
    expect(asked(text)).toEqual({ do: act, name, kind, ...(set ? { set } : {}) }),
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
])("%s asks nothing of a project", (text) => expect(asked(text)).toBeUndefined());

test("days that need the time are left alone where none is told", () => {
  expect(findAsked("add a task to call Ann by Friday", undefined)).toEqual({
    do: "call",
    tool: "create_entities",
    input: { entities: [{ kind: "task", title: "call Ann by Friday" }] },
  });
});

test("the newest time in a request is the time", () => {
  const texts = [
    "<now>Sunday, 15 November 2026, 09:30 UTC</now>",
    "It was 3 May 2020, 10:00 UTC",
    "<now><recall></recall></now>",
  ];
  expect(readNow(texts)).toBe(now);
  expect(readNow(["hello"])).toBeUndefined();
});
