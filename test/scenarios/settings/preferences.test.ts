import { expect, test } from "vitest";
import type { PromptMessage } from "../../../protocol/model.ts";
import { call, mintId, say, startInstance } from "../../support/instance.ts";
import { createDatabase } from "../../support/postgres.ts";

type RecordedRequest = {
  readonly system: string;
  readonly tools: readonly string[];
  readonly messages: readonly PromptMessage[];
};

/** An instance whose model records its requests; `steps` are the tools it calls first, one per step. */
async function setUp(env: Readonly<Record<string, string>> = {}, steps: readonly (readonly [string, object])[] = []) {
  const sent: RecordedRequest[] = [];
  const instance = await startInstance({
    env,
    script: ({ system, tools, messages }) => {
      sent.push({ system, tools: tools.map(({ name }) => name), messages });
      const last = messages.findLastIndex(({ role }) => role === "user");
      const step = steps[messages.slice(last).filter(({ role }) => role === "tool").length];
      return step ? call({ name: step[0], input: JSON.stringify(step[1]) }) : say("done");
    },
  });
  const ask = async () => {
    const threadId = await instance.start();
    const live = instance.follow(threadId);
    await instance.send(threadId, "What is the weather, and what do you know about me?");
    await live.ended();
    const parts = live.view().messages.flatMap(({ parts }) => parts);
    return { request: sent.at(-1), calls: parts.flatMap((part) => (part.kind === "tool" ? [part] : [])) };
  };
  return { ...instance, sent, ask };
}

const remember = { changes: [{ field: "name", op: "replace", value: "Ann", reason: "said so" }] };

for (const kind of ["SQLite", "PostgreSQL"]) {
  test(`a tool that is turned off is not offered, not found and not run, on ${kind}`, async () => {
    const env = kind === "SQLite" ? {} : { STONECHAT_DATABASE_URL: await createDatabase() };
    const instance = await setUp(env, [
      ["calculate", { expression: "1+1" }],
      ["use_tool", { name: "calculate", input: { expression: "1+2" } }],
      ["find_tools", { query: "calculate arithmetic" }],
    ]);
    expect((await instance.client.getPreferences({})).preferences).toMatchObject({ titles: true, memory: true });
    await instance.client.setPreferences({ body: { disabledTools: ["calculate", "unknown_tool"] } });
    const { request, calls } = await instance.ask();
    expect(request?.tools).not.toContain("calculate");
    expect(calls.map(({ state }) => state)).toEqual(["error", "error", "ok"]);
    expect(JSON.stringify(calls[2]?.output)).not.toContain('"name":"calculate"');
    const { tools } = await instance.client.listTools({});
    expect(tools.filter(({ off }) => off).map(({ name }) => name)).toEqual(["calculate"]);
    await instance.client.setPreferences({ body: { disabledTools: [] } });
    expect((await instance.ask()).calls.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
  });
}

test("with memory off none is stored and none is sent, until it is on again", async () => {
  const instance = await setUp({}, [["working_memory", remember]]);
  const { client } = instance;
  const setMemory = (value: string) => client.setMemory({ body: { id: mintId(), field: "location", value } });
  await setMemory("Bern");
  expect(JSON.stringify((await instance.ask()).request)).toContain("Bern");
  await client.forgetMemory({ body: { id: mintId(), field: "name" } });
  await client.setPreferences({ body: { memory: false } });
  const { request, calls } = await instance.ask();
  expect(JSON.stringify(request?.messages)).not.toContain("Bern");
  expect(request?.system).not.toContain("working_memory");
  expect(request?.tools).not.toContain("working_memory");
  expect(calls.map(({ state }) => state)).toEqual(["error"]);
  await expect(setMemory("Basel")).rejects.toMatchObject({ code: "conflict" });
  const { memory } = await client.getMemory({});
  expect([memory.name, memory.location?.value]).toEqual([null, "Bern"]);
  await client.setPreferences({ body: { memory: true } });
  expect(JSON.stringify((await instance.ask()).request)).toContain("Bern");
});

test("custom instructions are in the system text of every thread; concurrent changes are all kept", async () => {
  const instance = await setUp();
  await instance.client.setPreferences({ body: { instructions: "  Answer in one word.  " } });
  const { request } = await instance.ask();
  expect(request?.system).toContain("Instructions of the user for all conversations:\nAnswer in one word.");
  await instance.client.setPreferences({ body: { instructions: "" } });
  expect((await instance.ask()).request?.system).not.toContain("Instructions of the user");
  const many = await Promise.all([
    instance.client.setPreferences({ body: { titles: false } }),
    instance.client.setPreferences({ body: { memory: false } }),
  ]);
  expect(many).toHaveLength(2);
  const { preferences } = await instance.client.getPreferences({});
  expect(preferences).toMatchObject({ titles: false, memory: false });
});

test("times in the prompt and of the tool are in the user's time zone", async () => {
  const instance = await setUp({}, [["now", {}]]);
  const ask = async () => {
    const { request, calls } = await instance.ask();
    return { prompt: JSON.stringify(request?.messages), told: JSON.stringify(calls[0]?.output) };
  };
  expect((await ask()).prompt).toMatch(/<now>\w+, \d+ \w+ \d{4}, \d\d:\d\d UTC/);
  await expect(instance.client.setPreferences({ body: { timeZone: "Mars/Olympus" } })).rejects.toMatchObject({
    message: expect.stringContaining("must be the name of a time zone"),
  });
  const timeZone = "Pacific/Kiritimati";
  await instance.client.setPreferences({ body: { timeZone } });
  expect((await instance.client.getMe({})).timeZone).toBe(timeZone);
  const { prompt, told } = await ask();
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone });
  expect(prompt).toContain(`${day.format(Date.now())}, `);
  expect(prompt).toContain(`${timeZone} (UTC+14:00)`);
  expect(told).toContain("GMT+14");
  await instance.client.setPreferences({ body: { timeZone: null } });
  expect((await ask()).told).toContain("UTC");
});
