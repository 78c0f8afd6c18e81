import { expect, test } from "vitest";
import type { Client } from "../../../protocol/client.ts";
import type { MessageView } from "../../../protocol/fold.ts";
import { clientOf, signIn, accountsOn } from "../../support/accounts/accounts-instance.ts";
import { shareProject } from "../../support/accounts/shared-project.ts";
import { say } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const ROUNDS = process.env["STONECHAT_DEEP"] ? 12 : 2;
const CLIENTS = 16;
const MOST_READS = 200;

describeOnBoth("many users in one thread", (start, kind) => {
  test("16 clients of 4 users edit, rename, regenerate and post in one thread, and no accepted change is lost", async () => {
    const instance = await start({ env: accountsOn, script: () => say("An answer.") });
    const second =
      kind === "postgres"
        ? await start({ env: accountsOn, script: () => say("An answer.") }, instance.databaseUrl)
        : instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(second);
    await ada.client.changeMember({ params: { projectId, userId: cy.userId }, body: { role: "editor" } });
    await ada.client.addMember({ params: { projectId }, body: { email: dee.email, role: "editor" } });
    const threadId = "shared";
    await ada.client.createThread({ body: { id: threadId, projectId } });
    const people = [ada, bob, cy, dee];
    const clients = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, n) => {
        const { url } = n % 2 === 0 ? instance : second;
        const person = people[n % people.length] ?? ada;
        return { person, client: clientOf(url, (await signIn(url, person.email)).cookie) };
      }),
    );
    const accepted = new Map<string, { readonly author: string; readonly text: string; readonly kind: string }>();
    const titles: string[] = [];
    /** Repeats a request until it is accepted, or the server says that it can never be. */
    const insist = async (send: () => Promise<unknown>): Promise<boolean> => {
      for (;;) {
        try {
          await send();
          return true;
        } catch (error) {
          const { code } = error as { readonly code?: string };
          if (code !== "busy") throw error;
          await new Promise(setImmediate);
        }
      }
    };
    /** Messages are delivered one after another, and an edit by others may have left them on another branch. */
    const readUntil = async (client: Client, fits: (messages: readonly MessageView[]) => boolean) => {
      for (let tries = 0; ; tries += 1) {
        const { messages } = await client.getThread({ params: { threadId }, query: { limit: 200 } });
        if (fits(messages) || tries === MOST_READS) return messages;
      }
    };
    await Promise.all(
      clients.map(async ({ person, client }, n) => {
        const note = (id: string, text: string, what: string) =>
          accepted.set(id, { author: person.userId, text, kind: what });
        for (let round = 0; round < ROUNDS; round += 1) {
          const id = `m-${n}-${round}`;
          const text = `Words ${n} ${round}`;
          await insist(() => client.sendMessage({ params: { threadId }, body: { id, text } }));
          note(id, text, "message");
          const title = `Title ${n} ${round}`;
          await insist(() => client.changeThread({ params: { threadId }, body: { id: `t-${n}-${round}`, title } }));
          titles.push(title);
          const findOwn = (list: readonly MessageView[]) =>
            list.find((one) => one.role === "user" && one.author?.id === person.userId);
          const findAnswer = (list: readonly MessageView[]) => list.findLast(({ role }) => role === "assistant");
          const messages = await readUntil(client, (list) => Boolean(round === 0 ? findOwn(list) : findAnswer(list)));
          const own = findOwn(messages);
          const edited = `Edited ${n} ${round}`;
          if (own && round === 0) {
            const editing = { params: { threadId, messageId: own.id }, body: { id: `e-${n}-${round}`, text: edited } };
            await insist(() => client.editMessage(editing));
            note(`e-${n}-${round}`, edited, "edit");
          }
          const answer = findAnswer(messages);
          if (answer && round === 1) {
            const again = { params: { threadId, messageId: answer.id }, body: { id: `r-${n}-${round}` } };
            await insist(() => client.regenerateMessage(again));
            note(`r-${n}-${round}`, "", "regenerate");
          }
        }
      }),
    );
    const isIdle = async () => {
      const { queue, run } = await ada.client.getThread({ params: { threadId }, query: {} });
      return queue.length === 0 && run?.state === "ended";
    };
    await expect.poll(isIdle, { timeout: 120_000 }).toBe(true);
    const place = kind === "postgres" ? instance : { dataDir: instance.dataDir };
    const rows = await query<{ id: string; role: string; author: string | null; branch: string; depth: number }>(
      place,
      "select id, role, author, branch, depth from messages",
    );
    const stored = new Map(rows.map((row) => [row.id, row]));
    const findLost = (all: typeof accepted) =>
      [...all].filter(([id, { author, kind: what }]) =>
        what === "regenerate" ? stored.get(id)?.role !== "assistant" : stored.get(id)?.author !== author,
      );
    expect(findLost(accepted)).toEqual([]);
    const parts = await query<{ message: string; body: string }>(
      place,
      "select message, body from parts where kind = 'text'",
    );
    const textOf = new Map(parts.map(({ message, body }) => [message, (JSON.parse(body) as { text: string }).text]));
    const changed = [...accepted].filter(
      ([id, { kind: what, text }]) => what !== "regenerate" && textOf.get(id) !== text,
    );
    expect(changed).toEqual([]);
    // No dangling parents: every branch begins after a message that exists.
    const branches = await query<{ id: string; parent: string | null; fork_depth: number }>(
      place,
      "select id, parent, fork_depth from branches",
    );
    const known = new Set(branches.map(({ id }) => id));
    expect(branches.filter(({ parent }) => parent !== null && !known.has(parent))).toEqual([]);
    // The title is one that was accepted.
    const { thread } = await ada.client.getThread({ params: { threadId }, query: {} });
    expect(titles).toContain(thread.title);
    const done = await query<{ n: number }>(
      place,
      "select count(*) as n from inputs where kind = 'change' and state = 'done'",
    );
    expect(Number(done[0]?.n)).toBe(titles.length);
    // How much was accepted, so that a run in which everything is refused, or nothing is tried, fails.
    const count = (what: string) => [...accepted.values()].filter(({ kind: one }) => one === what).length;
    expect(count("message")).toBe(CLIENTS * ROUNDS);
    expect(titles).toHaveLength(CLIENTS * ROUNDS);
    expect(count("edit")).toBeGreaterThanOrEqual(CLIENTS / 2);
    expect(count("regenerate")).toBeGreaterThanOrEqual(CLIENTS / 2);
    // The control: a change that was not accepted is found to be missing.
    const invented = { author: ada.userId, text: "Never sent", kind: "message" };
    const found = findLost(new Map([...accepted, ["m-invented", invented]]));
    expect(found.map(([id]) => id)).toEqual(["m-invented"]);
  });
});
