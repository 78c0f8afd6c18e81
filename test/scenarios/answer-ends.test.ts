import { expect, test } from "vitest";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import { answerWith, createScriptedModel } from "../browser/scripted-model.ts";
import { mintId } from "../support/instance.ts";
import { describeOnBoth, type Start } from "./settings/on-both.ts";

const failed = { outcome: "failed", reason: { code: "refused", text: expect.stringContaining("Nope.") } };
const sentences = ["ended-length", "continue-rest"].map((name) => ({ name, values: [] }));
const cut = {
  outcome: "limit",
  reason: { code: "ended-length", text: expect.stringContaining("output limit"), sentences },
};
const stopped = { outcome: "stopped", reason: null };

/** A thread with a failed, a truncated, a stopped and a complete answer. */
const chat = async (start: Start) => {
  const voice = createScriptedModel();
  const env = { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," };
  const instance = await start({ script: voice.script, env });
  const { client, send, follow } = instance;
  const threadId = await instance.start();
  const live = follow(threadId);
  const params = { threadId };
  await send(threadId, "fail");
  (await voice.next()).fail("Nope.");
  await live.ended(1);
  await send(threadId, "be cut");
  const long = await voice.next();
  long.say("The dose is 5 mg, but never");
  long.finish("length");
  await live.ended(2);
  await send(threadId, "be stopped");
  (await voice.next()).say("The first half");
  await live.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []) !== "");
  await client.stopRun({ params, body: { id: mintId() } });
  await live.ended(3);
  return { ...instance, voice, threadId, params, live };
};

const endsOf = (messages: readonly MessageView[]) =>
  messages.flatMap(({ role, endedEarly }) => (role === "assistant" ? [endedEarly] : []));

describeOnBoth("how an answer ended", (start) => {
  test("is kept for each answer when others follow: live, after a reload, in exports and in shares", async () => {
    const { client, voice, threadId, params, live, send } = await chat(start);
    await send(threadId, "be done");
    await answerWith(voice, "All of it.");
    await live.ended(4);
    const { messages, run } = await client.getThread({ params });
    expect(endsOf(messages)).toEqual([failed, cut, stopped, undefined]);
    expect(live.view().messages).toEqual(messages);
    expect(live.view().run).toEqual(run);
    const { messages: older } = await client.listMessages({ params, query: { before: 7, limit: 5 } });
    expect(endsOf(older)).toEqual([failed, cut, stopped]);

    const markdown = String(await client.exportThread({ params }));
    expect(markdown).toMatch(/## Assistant[^\n]*\n\n> Failed: [^\n]*Nope\.\n/);
    expect(markdown).toContain("but never\n\n> The answer was cut off at the model's output limit.\n");
    expect(markdown).toContain("The first half\n\n> Stopped.\n");
    expect(markdown).toMatch(/All of it\.\n$/);
    for (const branches of ["active", "all"] as const) {
      const exported = await client.exportThread({ params, query: { format: "json", branches } });
      const ends = endsOf((exported as { messages: MessageView[] }).messages);
      expect(ends.filter((end) => end !== undefined)).toHaveLength(3);
      expect(ends).toEqual(expect.arrayContaining([failed, cut, stopped]));
    }
    const { token } = await client.createShare({ params, body: { id: mintId("share") } });
    const shared = await client.getShared({ params: { token } });
    const notices = shared.messages.flatMap(({ parts }) => parts.filter(({ kind }) => kind === "notice"));
    expect(notices.map((part) => "text" in part && part.text)).toEqual([
      expect.stringMatching(/^Failed: .*Nope\.$/),
      "The answer was cut off at the model's output limit.",
      "Stopped.",
    ]);
  });

  test("is shown for a stopped variant that is activated again, which can be continued", async () => {
    const { client, voice, params, live } = await chat(start);
    const { messages: before, run } = await client.getThread({ params });
    const messageId = before.at(-1)?.id ?? "";
    await client.regenerateMessage({ params: { ...params, messageId }, body: { id: mintId() } });
    await answerWith(voice, "Another.");
    await live.ended(4);
    const refused = client.continueRun({ params, body: { id: mintId() } });
    await expect(refused).rejects.toThrow(/nothing to continue/);
    await client.activateMessage({ params: { ...params, messageId }, body: { id: mintId() } });
    const back = await client.getThread({ params });
    expect(back.messages.at(-1)).toMatchObject({ id: messageId, endedEarly: stopped });
    expect(back.run).toEqual(run);
    await client.continueRun({ params, body: { id: mintId() } });
    await answerWith(voice, " and the second.");
    expect(await live.ended(5)).toMatchObject({ id: run?.id, messageId, outcome: "done" });
    const after = await client.getThread({ params });
    expect(textOf(after.messages.at(-1)?.parts ?? [])).toBe("The first half and the second.");
    expect(endsOf(after.messages)).toEqual([failed, cut, undefined]);
    expect(after.run).toMatchObject({ id: run?.id, outcome: "done" });
  });
});
