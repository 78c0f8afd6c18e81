import { expect, onTestFinished, test } from "vitest";
import type { EventOf } from "../../../protocol/events.ts";
import { isUnread } from "../../../protocol/list-fold.ts";
import { followStream, mintId, type Instance } from "../../support/instance.ts";
import { describeOnBoth } from "./on-both.ts";

const followPerson = ({ url }: Instance) => {
  const person = followStream(`${url}/api/stream?after=0`);
  onTestFinished(() => person.close());
  const drafts = () =>
    person.rows.flatMap(({ seq, event }) => (event.type === "draft-changed" ? [{ seq, ...event }] : []));
  const seen = () =>
    person.rows.flatMap(({ event }) =>
      event.type === "thread-changed" && event.patch.seenAt !== undefined ? [event as EventOf<"thread-changed">] : [],
    );
  return { person, drafts, seen };
};

describeOnBoth("drafts", (start) => {
  test("stores a thread's draft, announces it to other tabs and empties it when the message is sent", async () => {
    const instance = await start();
    const { client, follow } = instance;
    const { person, drafts } = followPerson(instance);
    const threadId = await instance.start();
    expect((await client.getDraft({ params: { threadId } })).draft).toEqual({ threadId, text: "", at: 0, version: 0 });
    const kept = await client.setDraft({ params: { threadId }, body: { text: "I was wondering", at: 100 } });
    expect(kept).toMatchObject({ kept: true, draft: { threadId, text: "I was wondering", at: 100 } });
    await person.until(() => drafts().length === 1);
    expect(drafts()).toMatchObject([{ threadId, seq: kept.draft.version, empty: false }]);
    expect((await client.listDrafts({})).drafts).toEqual([kept.draft]);

    const live = follow(threadId);
    const sentAt = Date.now();
    await instance.send(threadId, "I was wondering");
    await live.ended();
    const { draft } = await client.getDraft({ params: { threadId } });
    expect(draft).toMatchObject({ text: "" });
    expect(draft.version).toBeGreaterThan(kept.draft.version);
    expect((await client.listDrafts({})).drafts).toEqual([]);
    await person.until(() => drafts().length === 2);
    expect(drafts().at(-1)).toMatchObject({ threadId, empty: true, seq: draft.version });

    const late = await client.setDraft({ params: { threadId }, body: { text: "I was wondering", at: sentAt - 1000 } });
    expect(late).toMatchObject({ kept: false, draft: { text: "" } });
  });

  test("a message from elsewhere leaves the draft as it is", async () => {
    const instance = await start();
    const threadId = await instance.start();
    const body = { text: "Half a thought", at: 100 };
    const { draft: kept } = await instance.client.setDraft({ params: { threadId }, body });
    await instance.send(threadId, "From another device");
    await instance.follow(threadId).ended();
    expect((await instance.client.getDraft({ params: { threadId } })).draft).toEqual(kept);
  });

  test("the tab that wrote last wins regardless of the order of requests, and both get the same result", async () => {
    const { client, start: open } = await start();
    const threadId = await open();
    const put = (text: string, at: number, was?: number) =>
      client.setDraft({ params: { threadId }, body: { text, at, ...(was === undefined ? {} : { was }) } });
    const newer = await put("newer", 200);
    const older = await put("older", 100);
    expect(older).toEqual({ kept: false, draft: newer.draft });
    const same = await put("newer", 100);
    expect(same).toEqual({ kept: true, draft: newer.draft });
    // A client whose clock is behind can still overwrite the version that it has seen.
    const knowing = await put("from a slow clock", 50, newer.draft.version);
    expect(knowing).toMatchObject({ kept: true, draft: { text: "from a slow clock", at: 200 } });
    // A client whose clock is ahead does not block the others.
    const ahead = await put("from the future", 8_000_000_000_000);
    expect(ahead.draft.at).toBeLessThanOrEqual(Date.now());
    const all = await Promise.all(Array.from({ length: 10 }, (_, n) => put(`tab ${n}`, 9_000_000_000_000 + n)));
    const { draft } = await client.getDraft({ params: { threadId } });
    expect(all.filter(({ kept }) => kept).map(({ draft: one }) => one)).toContainEqual(draft);
  });

  test("a write based on an older version neither replaces nor deletes a text that its client has not seen", async () => {
    const instance = await start();
    const { client } = instance;
    const { person, drafts } = followPerson(instance);
    const threadId = await instance.start();
    const put = (text: string, was: number) =>
      client.setDraft({ params: { threadId }, body: { text, at: Date.now(), was } });
    const flight = await put("Book the flight", 0);
    const hotel = await put("Book the hotel", flight.draft.version);
    await person.until(() => drafts().length === 2);
    expect(drafts()[1]).toMatchObject({ was: flight.draft.version });
    await instance.send(threadId, "Book the flight");
    for (const text of ["", "Book the flight now"])
      expect(await put(text, flight.draft.version)).toEqual({ kept: false, draft: hotel.draft });
    await instance.send(threadId, "Book the hotel");
    await person.until(() => drafts().length === 3);
    expect(drafts()[2]).toMatchObject({ empty: true, was: hotel.draft.version });
    // An emptied draft hides no text.
    expect(await put("Next", flight.draft.version)).toMatchObject({ kept: true });
  });

  test("a draft without a thread is emptied by the first message of a new thread", async () => {
    const { client, start: open } = await start();
    const { draft } = await client.setFirstDraft({ body: { text: "To begin with", at: 10 } });
    expect(draft).toMatchObject({ threadId: null, text: "To begin with" });
    expect((await client.getFirstDraft({})).draft).toEqual(draft);
    const threadId = await open();
    await client.sendMessage({ params: { threadId }, body: { id: mintId(), text: "other" } });
    expect((await client.getFirstDraft({})).draft).toEqual(draft);
    const body = { id: mintId(), text: "To begin with", draft: "first" as const };
    const sent = await client.sendMessage({ params: { threadId }, body });
    expect((await client.getFirstDraft({})).draft).toMatchObject({ text: "" });
    expect(await client.sendMessage({ params: { threadId }, body: { ...body, draft: "thread" } })).toEqual(sent);
  });

  test("a draft is deleted with its thread and cannot be stored for a deleted one", async () => {
    const instance = await start();
    const { client } = instance;
    const { person } = followPerson(instance);
    const threadId = await instance.start();
    await client.setDraft({ params: { threadId }, body: { text: "never sent", at: 1 } });
    await client.deleteThread({ params: { threadId } });
    expect((await client.listDrafts({})).drafts).toEqual([]);
    const late = client.setDraft({ params: { threadId }, body: { text: "too late", at: 2 } });
    await expect(late).rejects.toMatchObject({ code: "not-found" });
    await person.until(() => person.rows.some(({ event }) => event.type === "thread-deleted"));
    const rows = await instance.server.store.read.events("user:local", 0, 1000);
    expect(rows.filter(({ body }) => body.includes("draft-changed"))).toEqual([]);
  });
});

describeOnBoth("read marks", (start) => {
  test("a thread is unread after an answer until it is marked as read, in every tab", async () => {
    const instance = await start();
    const { client, follow } = instance;
    const { person, seen } = followPerson(instance);
    const threadId = await instance.start();
    const get = async () => (await client.listThreads({})).threads.find(({ id }) => id === threadId)!;
    expect(isUnread(await get())).toBe(false);
    const live = follow(threadId);
    await instance.send(threadId, "hello");
    await live.ended();
    const unread = await get();
    expect(isUnread(unread)).toBe(true);
    const { seenAt } = await client.markSeen({ params: { threadId }, body: { at: unread.updatedAt } });
    expect(seenAt).toBe(unread.updatedAt);
    expect(isUnread(await get())).toBe(false);
    await person.until(() => seen().length === 1);
    expect(seen()[0]).toMatchObject({ threadId, patch: { seenAt } });
    await live.until(({ thread }) => thread?.seenAt === seenAt);

    // Marks only move forward, at most to the last update.
    expect(await client.markSeen({ params: { threadId }, body: { at: 5 } })).toEqual({ seenAt });
    const beyond = await client.markSeen({ params: { threadId }, body: { at: 8_000_000_000_000_000 } });
    expect(beyond).toEqual({ seenAt });
    expect(seen()).toHaveLength(1);
  });
});
