import { expect, onTestFinished, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../protocol/model.ts";
import { call, followStream, mintId, say } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";
import { describeOnBoth, type Start } from "./on-both.ts";

type Options = Pick<Parameters<Start>[0] & object, "env" | "tools"> & {
  readonly script?: (request: ModelRequest) => readonly ModelEvent[];
};

const startChatting = async (start: Start, { script = () => say("done"), ...options }: Options = {}) => {
  const requests: ModelRequest[] = [];
  const instance = await start({
    ...options,
    script: (request) => {
      requests.push(request);
      return [...script(request)];
    },
  });
  const chat = async (threadId: string, text: string) => {
    const before = requests.length;
    const live = instance.follow(threadId);
    const seen = (await instance.client.getThread({ params: { threadId } })).seq;
    await instance.send(threadId, text);
    await live.until(() => live.rows.some(({ seq, event }) => seq > seen && event.type === "run-ended"));
    live.close();
    return { request: requests[before]!, view: live.view() };
  };
  return { ...instance, chat };
};

describeOnBoth("user profiles", (start) => {
  test("a copy can be used by a thread, and changes apply from the next answer", async () => {
    const { client, start: open, chat, url } = await startChatting(start);
    const person = followStream(`${url}/api/stream?after=0`);
    onTestFinished(() => person.close());
    const { profiles, bounds } = await client.listProfiles({});
    expect(profiles.map(({ id }) => id)).toEqual(["stone", "research", "autopilot", "project", "builder", "assistant"]);
    expect(profiles.every(({ builtIn }) => builtIn)).toBe(true);
    const body = {
      id: "pirate",
      name: "Pirate",
      from: "research",
      instructions: "Speak like a pirate.",
      tools: ["now", "calculate"],
      limits: { steps: 2 },
      policy: "messages" as const,
    };
    const { profile } = await client.createProfile({ body });
    const research = profiles.find(({ id }) => id === "research")!;
    expect(profile).toMatchObject({
      id: "pirate",
      name: "Pirate",
      builtIn: false,
      from: "research",
      version: 1,
      tools: ["now", "calculate"],
      policy: "messages",
      limits: { ...research.limits, steps: 2 },
    });
    expect(bounds.steps).toBeGreaterThanOrEqual(research.limits.steps);
    expect(await client.createProfile({ body })).toEqual({ profile });
    await expect(client.createProfile({ body: { ...body, name: "Other" } })).rejects.toMatchObject({
      code: "conflict",
    });
    await person.until(() => person.rows.some(({ event }) => event.type === "profiles-changed"));

    const threadId = await open({ profile: "pirate" });
    const first = await chat(threadId, "ahoy");
    expect(first.request.system).toBe("Speak like a pirate.");
    expect(first.request.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["calculate", "now"]));
    expect(first.request.tools.map(({ name }) => name)).not.toContain("working_memory");
    expect((await client.getContext({ params: { threadId } })).policy).toBe("messages");

    const change = { was: 1, instructions: "Speak like a sailor.", tools: ["weather"] };
    const changed = await client.changeProfile({ params: { profileId: "pirate" }, body: change });
    expect(changed.profile).toMatchObject({ version: 2, name: "Pirate", instructions: "Speak like a sailor." });
    const second = await chat(threadId, "and now?");
    expect(second.request.system).toBe("Speak like a sailor.");
    expect(second.request.tools.map(({ name }) => name)).toContain("weather");
    expect(second.request.tools.map(({ name }) => name)).not.toContain("calculate");
    await expect(
      client.changeProfile({ params: { profileId: "pirate" }, body: { was: 1, name: "Stale" } }),
    ).rejects.toMatchObject({ code: "conflict", current: { version: 2 } });
  });

  test("its window replaces the operator's, which replaces the policy's default", async () => {
    const { client, start: open, chat } = await startChatting(start, { env: { STONECHAT_HISTORY_MESSAGES: "4" } });
    const window = { messages: 2, pageCharacters: 3_000 };
    await client.createProfile({ body: { id: "narrow", name: "Narrow", policy: "messages", window } });
    const { profile } = await client.createProfile({ body: { id: "plain", name: "Plain", policy: "messages" } });
    expect(profile.window).toEqual({
      messages: null,
      characters: null,
      pageCharacters: null,
      messageCharacters: null,
    });
    const talk = async (id: string) => {
      const threadId = await open({ profile: id });
      for (const text of ["one", "two", "three"]) await chat(threadId, text);
      const { request } = await chat(threadId, "four");
      return request.messages.map((message) => ("text" in message ? message.text : "done"));
    };
    expect(await talk("narrow")).toEqual(["four"]);
    expect(await talk("plain")).toEqual(["three", "done", "four"]);
    await expect(
      client.changeProfile({ params: { profileId: "plain" }, body: { was: 1, window: { messages: 0 } } }),
    ).rejects.toMatchObject({ code: "invalid" });
    const { steps } = (await client.listProfiles({})).bounds;
    expect(steps).toBe(50);
  });

  test("the characters of a web page are the profile's, then the operator's", async () => {
    const seen: number[] = [];
    const page = tool({
      name: "page",
      execute: async (_, { pageCharacters }) => ({ output: { shown: seen.push(pageCharacters) } }),
    });
    const {
      client,
      start: open,
      chat,
    } = await startChatting(start, {
      env: { STONECHAT_PAGE_CHARACTERS: "900" },
      tools: [page],
      script: ({ messages }) => (messages.at(-1)?.role === "user" ? call({ name: "page", input: "{}" }) : say("done")),
    });
    const window = { pageCharacters: 3_000 };
    await client.createProfile({ body: { id: "wide", name: "Wide", window } });
    await client.createProfile({ body: { id: "plain", name: "Plain" } });
    for (const profile of ["wide", "plain", "stone"]) await chat(await open({ profile }), "Read it.");
    expect(seen).toEqual([3_000, 900, 900]);
  });

  test("the longest message is the profile's own, then that of the profile it was copied from", async () => {
    const { client, start: open, send, follow } = await startChatting(start);
    const create = async (id: string, fields: object) =>
      (await client.createProfile({ body: { id, name: id, ...fields } })).profile.messageCharacters;
    expect(await create("short", { window: { messageCharacters: 200 } })).toBe(200);
    expect(await create("digger", { from: "research" })).toBe(10_000);
    expect(await create("shorter", { from: "short" })).toBe(200);
    expect(await create("plain", {})).toBe(100_000);
    for (const [profile, most] of [["short", 200] as const, ["digger", 10_000] as const]) {
      const threadId = await open({ profile });
      await expect(send(threadId, "r".repeat(most + 1))).rejects.toMatchObject({ code: "too-large" });
      await send(threadId, "r".repeat(most));
      expect(await follow(threadId).ended()).toMatchObject({ outcome: "done" });
    }
    await client.changeProfile({
      params: { profileId: "short" },
      body: { was: 1, window: { messageCharacters: null } },
    });
    await send(await open({ profile: "short" }), "r".repeat(201));
    await expect(create("long", { window: { messageCharacters: 100_001 } })).rejects.toMatchObject({ code: "invalid" });
  });

  test("a thread whose profile is deleted continues with stone and says so", async () => {
    const { client, start: open, chat } = await startChatting(start);
    await client.createProfile({ body: { id: "mine", name: "Mine", instructions: "Mine." } });
    const threadId = await open();
    await client.changeThread({ params: { threadId }, body: { id: mintId(), profile: "mine" } });
    expect((await chat(threadId, "one")).request.system).toBe("Mine.");
    await client.deleteProfile({ params: { profileId: "mine" } });
    const { request, view } = await chat(threadId, "two");
    expect(request.system).toContain("You are Stonechat, a careful assistant");
    const notice = view.messages.at(-1)?.parts.find((part) => part.kind === "notice");
    expect(notice).toMatchObject({ code: "profile-gone" });
    expect((await client.getContext({ params: { threadId } })).policy).toBe("stone");
    await client.changeThread({ params: { threadId }, body: { id: mintId(), profile: "assistant" } });
    const third = await chat(threadId, "three");
    expect(third.view.messages.at(-1)?.parts.some((part) => part.kind === "notice")).toBe(false);
    await expect(client.deleteProfile({ params: { profileId: "mine" } })).rejects.toMatchObject({ code: "not-found" });
  });

  test("rejects a profile that cannot run", async () => {
    const { client, start: open } = await startChatting(start, {
      env: { STONECHAT_MAX_STEPS: "7", STONECHAT_MAX_COST_USD: "1" },
    });
    const create = (more: object) => client.createProfile({ body: { id: mintId(), name: "Mine", ...more } });
    const { bounds } = await client.listProfiles({});
    for (const more of [
      { tools: ["no_such_tool"] },
      { limits: { perTool: { no_such_tool: 1 } } },
      { limits: { steps: bounds.steps + 1 } },
      { limits: { steps: 0 } },
      { limits: { costUsd: 1.01 } },
      { limits: { costUsd: null } },
      { limits: { seconds: bounds.seconds + 1 } },
      { policy: "no-such-policy" },
      { model: "no/such-model" },
      { from: "nothing" },
      { name: "   " },
    ]) {
      await expect(create(more), JSON.stringify(more)).rejects.toMatchObject({ code: "invalid" });
    }
    await expect(client.createProfile({ body: { id: "stone", name: "Mine" } })).rejects.toMatchObject({
      code: "conflict",
    });
    for (const change of [
      () => client.changeProfile({ params: { profileId: "stone" }, body: { was: 1, name: "Mine" } }),
      () => client.deleteProfile({ params: { profileId: "stone" } }),
      () => open({ profile: "nothing" }),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: "invalid" });
    }
    expect((await client.listProfiles({})).profiles.every(({ builtIn }) => builtIn)).toBe(true);
  });

  test("new threads start with its model, and a copy of a copy has the same built-in source", async () => {
    const { client } = await startChatting(start);
    await client.createProfile({ body: { id: "a", name: "A", from: "builder", model: "offline/stone" } });
    const { profile } = await client.createProfile({ body: { id: "b", name: "B", from: "a" } });
    expect(profile).toMatchObject({ from: "builder", model: "offline/stone" });
    const thread = await client.createThread({ body: { id: mintId(), profile: "b" } });
    expect(thread).toMatchObject({ profile: "b", model: "offline/stone" });
    const named = await client.createThread({ body: { id: mintId(), profile: "b", model: "scripted/script" } });
    expect(named.model).toBe("scripted/script");
  });
});
