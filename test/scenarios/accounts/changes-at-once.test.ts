import { expect, test } from "vitest";
import type { Store } from "../../../server/store/contract.ts";
import { accountsOn, clientOf, join, password, send, setUp, signIn } from "../../support/accounts/accounts-instance.ts";
import { addApp, createTestClock, nextCode } from "../../support/accounts/second-factors.ts";
import { startMailServer } from "../../support/accounts/mail-server.ts";
import { createGate } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

type Name = "sessionsOf" | "invitations" | "authenticator";

/** Holds the next read with this name until the test resumes it. */
function createSlowReads() {
  let held: { readonly name: Name; readonly reached: () => void; readonly resumed: Promise<void> } | undefined;
  const pass = async (name: Name): Promise<void> => {
    if (held?.name !== name) return;
    const { reached, resumed } = held;
    held = undefined;
    reached();
    await resumed;
  };
  return {
    hold: (name: Name) => {
      const [reached, resumed] = [createGate(), createGate()];
      held = { name, reached: reached.open, resumed: resumed.passed };
      return { reached: reached.passed, resume: resumed.open };
    },
    wrapStore: (store: Store): Store => ({
      ...store,
      read: {
        ...store.read,
        sessionsOf: async (id) => {
          const rows = await store.read.sessionsOf(id);
          await pass("sessionsOf");
          return rows;
        },
        authenticator: async (id) => {
          const row = await store.read.authenticator(id);
          await pass("authenticator");
          return row;
        },
        invitations: async () => {
          const rows = await store.read.invitations();
          await pass("invitations");
          return rows;
        },
      },
    }),
  };
}

describeOnBoth("changes of accounts at the same time", (start, kind) => {
  test("an admin who is demoted concurrently can neither sign out a user nor revoke an invitation", async () => {
    const slow = createSlowReads();
    const { url, server } = await start({ env: accountsOn, wrapStore: slow.wrapStore });
    const ada = await setUp({ url, server });
    const bob = await join(url, ada, { email: "bob@example.com", role: "admin" });
    const cy = await join(url, ada, { email: "cy@example.com" });
    await ada.client.createInvitation({ body: { id: "i1", role: "member" } });
    const change = (role: "admin" | "member") =>
      ada.client.changePerson({ params: { userId: bob.userId }, body: { role } });
    const changes = [
      ["sessionsOf", () => bob.client.signOutPerson({ params: { userId: cy.userId }, body: {} })],
      ["invitations", () => bob.client.revokeInvitation({ params: { invitationId: "i1" } })],
    ] as const;
    for (const [name, send] of changes) {
      await change("admin");
      const { reached, resume } = slow.hold(name);
      const result = send().then(
        () => "done",
        (error: { code: string }) => error.code,
      );
      await reached;
      await change("member");
      resume();
      expect(await result, name).toBe("forbidden");
    }
    expect((await cy.client.listSessions({})).sessions).toHaveLength(1);
    expect((await ada.client.listInvitations({})).invitations.map(({ id }) => id)).toEqual(["i1"]);
    const { entries } = await ada.client.listAudit({ query: { limit: 200 } });
    expect(entries.map(({ action }) => action)).not.toContain("invitation-revoked");
    expect(entries.map(({ action }) => action)).not.toContain("signed-out-by-admin");
  });

  test("an account gets no reset link while it is suspended", async () => {
    const instance = await start({ env: accountsOn });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com" });
    const params = { userId: bob.userId };
    await ada.client.changePerson({ params, body: { state: "suspended" } });
    await expect(ada.client.createResetLink({ params, body: {} })).rejects.toMatchObject({
      ...{ code: "conflict", message: expect.stringContaining("This account is suspended.") },
    });
    await ada.client.changePerson({ params, body: { state: "active" } });
    const { token } = await ada.client.createResetLink({ params, body: {} });
    const body = { token, password: "another password entirely" };
    expect((await send(instance.url, "POST /api/password-reset", { body })).status).toBe(200);
  });

  test("a new email address ends reset links that were sent to the old one", async () => {
    const instance = await start({ env: accountsOn });
    const { url } = instance;
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com" });
    const { token } = await ada.client.createResetLink({ params: { userId: bob.userId }, body: {} });
    await bob.client.changeAccount({ body: { name: "Robert" } });
    await bob.client.changeAccount({ body: { email: "robert@example.com", password } });
    const body = { token, password: "another password entirely" };
    expect((await send(url, "POST /api/password-reset", { body })).status).toBe(404);
    expect((await signIn(url, "robert@example.com")).status).toBe(200);
  });

  test("of parallel changes of a name, each audit row begins where the one before ended", async () => {
    const instance = await start({ env: accountsOn });
    const ada = await setUp(instance);
    const client = clientOf(instance.url, ada.cookie);
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, n) => client.changeAccount({ body: { name: `Ada ${n}` } })),
    );
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    for (const error of refused) expect(error).toMatchObject({ code: "conflict" });
    const { entries } = await client.listAudit({ query: { limit: 200 } });
    const names = entries.flatMap(({ action, detail }) =>
      action === "account-changed" ? [detail["name"] as { from: string; to: string }] : [],
    );
    expect(names.length).toBe(results.filter(({ status }) => status === "fulfilled").length);
    names.reverse().forEach(({ from }, n) => expect(from).toBe(n === 0 ? "Ada" : names[n - 1]?.to));
  });

  test("a sign-in that began before the second factor was added needs a code, also within one millisecond", async () => {
    const [slow, clock] = [createSlowReads(), createTestClock()];
    const instance = await start({ env: accountsOn, wrapStore: slow.wrapStore, clock });
    const ada = await setUp(instance);
    await send(instance.url, "POST /api/account/confirm", { cookie: ada.cookie, body: { password } });
    const { key, state } = await ada.client.startAuthenticator({ body: {} });
    const code = nextCode(key, clock);
    // The test clock does not advance.
    await ada.client.changeAccount({ body: { name: "Augusta" } });
    const { reached, resume } = slow.hold("authenticator");
    const signingIn = signIn(instance.url, ada.email);
    await reached;
    await ada.client.addAuthenticator({ body: { state, code } });
    resume();
    expect((await signingIn).body).toEqual({ next: "code" });
  });

  test("a code is not called wrong if the account is suspended concurrently", async () => {
    const [slow, clock] = [createSlowReads(), createTestClock()];
    const instance = await start({ env: accountsOn, wrapStore: slow.wrapStore, clock });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com" });
    await send(instance.url, "POST /api/account/confirm", { cookie: bob.cookie, body: { password } });
    const { key } = await addApp(bob.client, clock);
    const { cookie } = await signIn(instance.url, bob.email);
    const { reached, resume } = slow.hold("authenticator");
    const completing = send(instance.url, "POST /api/sign-in/code", { cookie, body: { code: nextCode(key, clock) } });
    await reached;
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "suspended" } });
    resume();
    const { status, body } = await completing;
    expect({ status, body: JSON.stringify(body) }).toEqual({
      status: 409,
      body: expect.stringContaining("Enter your password again."),
    });
  });

  test("an invitation mail that cannot be sent is in the audit log, without its link", async () => {
    const smtp = await startMailServer();
    smtp.refuse(true);
    let now = Date.now();
    const clock = { now: () => now, monotonic: () => performance.now() };
    const env = { ...accountsOn, STONECHAT_SMTP_URL: smtp.url, STONECHAT_MAIL_FROM: "Stonechat <chat@example.com>" };
    const instance = await start({ env, clock });
    const ada = await setUp(instance);
    await ada.client.createInvitation({ body: { id: "i1", role: "member", mail: true, email: "bob@example.com" } });
    const newest = async () => {
      now += 20 * 60_000;
      return (await ada.client.listAudit({ query: { limit: 1 } })).entries[0];
    };
    await expect
      .poll(newest, { timeout: 60_000, interval: 200 })
      .toMatchObject({ action: "invitation-mail-failed", actor: null, detail: { email: "bob@example.com" } });
    const place = kind === "postgres" ? instance : { dataDir: instance.dataDir };
    expect(await query(place, "select id from jobs where kind = 'mail'")).toEqual([]);
    expect((await ada.client.listInvitations({})).invitations.map(({ id }) => id)).toEqual(["i1"]);
  });
});
