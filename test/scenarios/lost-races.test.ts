import { expect, test } from "vitest";
import type { Write } from "../../server/store/contract.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

const member = (person: string): Write => ({
  do: "insert",
  table: "members",
  row: { object: "chair", person, role: "race" },
});
const nobody: Write = {
  do: "update",
  table: "members",
  set: { role: "gone" },
  where: { object: "chair", person: "nobody" },
  expectOne: true,
};

const startRace = async (repeat: "keyed" | "once", lostTimes: number) => {
  const keys: string[] = [];
  const instance = await startInstance({
    tools: [
      tool({
        name: "sit",
        repeat,
        // A write of the class `once` would ask.
        effects: ["read"],
        execute: async (_, { key }) => {
          const turn = keys.push(key);
          return {
            output: `try ${turn}`,
            commit: { events: [], writes: turn <= lostTimes ? [member("first"), nobody] : [member("first")] },
          };
        },
      }),
      tool({ name: "look", execute: async () => ({ output: "seen" }) }),
    ],
    script: (_, index) =>
      index === 0 ? call({ name: "sit", input: "{}" }, { name: "look", input: "{}" }) : say("done"),
  });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "go");
  const run = await live.ended();
  return { keys, run, parts: toolParts(live), instance };
};

test("a plan based on an outdated state is repeated with the same key", async () => {
  const { keys, run, parts } = await startRace("keyed", 2);
  expect(run.outcome).toBe("done");
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
  expect(parts.map(({ state, output }) => [state, output])).toEqual([
    ["ok", "try 3"],
    ["ok", "seen"],
  ]);
});

test("a race that is always lost is a failure and keeps its sibling's result", async () => {
  const { keys, run, parts } = await startRace("keyed", Infinity);
  expect(run.outcome).toBe("done");
  expect(keys).toHaveLength(5);
  expect(parts.map(({ state }) => state)).toEqual(["error", "ok"]);
});

test("what must not be done twice is not tried again", async () => {
  const { keys, parts } = await startRace("once", Infinity);
  expect(keys).toHaveLength(1);
  expect(parts.map(({ state }) => state)).toEqual(["error", "ok"]);
});
