import { expect, test } from "vitest";
import type { Part, PartOf } from "../../protocol/parts.ts";
import { foldChain, toBlocks, type Member } from "./group-calls.ts";
import type { ToolPart } from "../labels/tools.ts";

const call = (id: string, step: number, part: Partial<ToolPart> = {}): ToolPart => ({
  id,
  v: 1,
  n: 0,
  step,
  kind: "tool",
  callId: id,
  name: "search_web",
  state: "ok",
  ...part,
});
const base = (id: string) => ({ id, v: 1 as const, n: 0, step: 1 });
const think = (id: string): PartOf<"reasoning"> => ({ ...base(id), kind: "reasoning", state: "done", text: id });
const say = (id: string, text = id): Part => ({ ...base(id), kind: "text", state: "done", text });
const step = (id: string, attempt = 1): Part => ({ ...base(id), kind: "step", attempt, model: "m" });
const source = (id: string): Part => ({ ...base(id), kind: "source", sourceType: "url" });

const draw = (parts: readonly Part[], isRunning = false) =>
  toBlocks(parts, isRunning).map((block) =>
    block.kind === "part" ? block.key : `${block.members.map(({ id }) => id).join("+")}${block.isOver ? "" : "…"}`,
  );

test("groups consecutive calls across steps, with the reasoning between them", () => {
  const parts = [
    step("s1"),
    think("r1"),
    call("a", 1),
    source("x"),
    call("b", 1),
    step("s2"),
    think("r2"),
    call("c", 2),
  ];
  expect(draw(parts, true)).toEqual(["r1", "a+b+r2+c…"]);
  expect(draw([...parts, step("s3"), think("r3"), say("t")], true)).toEqual(["r1", "a+b+r2+c", "r3", "t"]);
});

test("separates calls at text and at a second attempt", () => {
  expect(draw([call("a", 1), say("t"), call("b", 2), step("again", 2), call("c", 2)])).toEqual([
    "a",
    "t",
    "b",
    "again",
    "c",
  ]);
});

test("does not separate calls at empty parts", () => {
  expect(draw([call("a", 1), say("empty", " \n"), { ...think("blank"), text: "" }, call("b", 2)])).toEqual(["a+b"]);
});

test("leaves out citations and keeps other data", () => {
  const data = (id: string, name: string): Part => ({ ...base(id), kind: "data", name, value: [] });
  expect(draw([say("t"), data("c", "citations"), data("d", "chart")])).toEqual(["t", "d"]);
});

const fold = (members: readonly Member[], isOver: boolean) => {
  const { folded, shown } = foldChain(members, isOver);
  return [folded.map(({ id }) => id).join(""), shown.map(({ id }) => id).join("")];
};

test("folds three or more finished calls, not fewer", () => {
  expect(fold([call("a", 1), call("b", 1)], true)).toEqual(["", "ab"]);
  expect(fold([call("a", 1), call("b", 1), call("c", 2)], true)).toEqual(["abc", ""]);
});

test("keeps the newest step visible while the answer is running", () => {
  const running = call("d", 2, { state: "running" });
  expect(fold([call("a", 1), call("b", 1), call("c", 1), running], false)).toEqual(["abc", "d"]);
  expect(fold([call("a", 1), call("b", 2), call("c", 2), running], false)).toEqual(["", "abcd"]);
});

test("never folds calls that the user may still act on", () => {
  const members = [
    call("a", 1, { state: "error" }),
    call("b", 1, { state: "denied" }),
    call("c", 1, { state: "cancelled" }),
    call("d", 1, { state: "asking" }),
    call("e", 1, { state: "unknown" }),
    call("f", 1, { name: "working_memory" }),
  ];
  expect(fold(members, true)).toEqual(["abc", "def"]);
});

test("keeps a plan visible until the answer is finished", () => {
  const members = [call("p", 1, { name: "plan_research" }), call("a", 2), call("b", 2), call("c", 2), call("d", 3)];
  expect(fold(members, false)).toEqual(["abc", "pd"]);
  expect(fold(members, true)).toEqual(["pabcd", ""]);
});
