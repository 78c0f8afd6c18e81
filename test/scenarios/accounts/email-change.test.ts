import { expect, test } from "vitest";
import {
  accountsOn,
  join,
  password,
  send,
  setUp,
  signIn,
  type Person,
} from "../../support/accounts/accounts-instance.ts";
import { linkIn, startMailServer, type ReceivedMail } from "../../support/accounts/mail-server.ts";
import { createTestClock } from "../../support/accounts/second-factors.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const mailOf = (url: string) => ({
  ...accountsOn,
  STONECHAT_SMTP_URL: url,
  STONECHAT_MAIL_FROM: "Stonechat <chat@example.com>",
  STONECHAT_PUBLIC_URL: "http://127.0.0.1:3737",
});
const next = "robert@example.com";

describeOnBoth("a change of the email address", (start, kind) => {
  const toPlace = ({ dataDir, databaseUrl }: { dataDir: string; databaseUrl: string }) =>
    kind === "postgres" ? { dataDir, databaseUrl } : { dataDir };
  const change = (url: string, { cookie }: Person, email = next) =>
    send(url, "PATCH /api/account", { cookie, body: { email } });

  test("needs a recent proof, and without mail takes effect at once", async () => {
    const clock = createTestClock();
    const instance = await start({ env: accountsOn, clock });
    const { url } = instance;
    const bob = await join(url, await setUp(instance), { email: "bob@example.com" });
    clock.pass(11 * 60_000);
    expect(await change(url, bob)).toMatchObject({ status: 428, body: { error: { code: "unconfirmed" } } });
    expect((await send(url, "PATCH /api/account", { cookie: bob.cookie, body: { name: "Robert" } })).status).toBe(200);
    await bob.client.confirmUser({ body: { password } });
    const { status, body } = await change(url, bob);
    expect([status, body]).toEqual([
      200,
      { account: { name: "Robert", email: next, role: "member" }, pendingEmail: null },
    ]);
    expect((await signIn(url, next)).status).toBe(200);
    expect((await signIn(url, bob.email)).status).toBe(401);
    const wrong = await send(url, "PATCH /api/account", {
      ...{ cookie: bob.cookie, body: { email: "other@example.com", password: "wrong" } },
    });
    expect(wrong.status).toBe(403);
  });

  test("with mail takes effect when the link is opened, once, and the old address gets a note", async () => {
    const smtp = await startMailServer();
    const instance = await start({ env: mailOf(smtp.url) });
    const { url } = instance;
    const bob = await join(url, await setUp(instance), { email: "bob@example.com" });
    expect((await change(url, bob)).body).toMatchObject({ account: { email: bob.email }, pendingEmail: next });
    await smtp.mail(2);
    const [link, note] = [next, bob.email].map((to) => smtp.mails.find((mail) => mail.to.includes(to)));
    if (!link || !note) throw new Error("A mail is missing.");
    const { token, path } = linkIn(link);
    expect(path).toBe("/email");
    expect(note.text).toContain(next);
    expect(note.text).not.toContain(token);
    const tables = await Promise.all(
      ["links", "audit", "jobs"].map((table) => query(toPlace(instance), `select * from ${table}`)),
    );
    expect(JSON.stringify(tables)).not.toContain(token);
    expect((await signIn(url, next)).status).toBe(401);
    // The link may be opened in a browser that is not signed in.
    const confirm = () => send(url, "POST /api/account/email/confirm", { body: { token } });
    expect((await confirm()).body).toEqual({ email: next });
    expect((await confirm()).status).toBe(404);
    expect((await signIn(url, next)).status).toBe(200);
    expect((await signIn(url, bob.email)).status).toBe(401);
    expect((await bob.client.getMe({})).account?.email).toBe(next);
  });

  test("a link stops working after a newer one, a new password, a suspension and a day", async () => {
    const smtp = await startMailServer();
    const clock = createTestClock();
    const instance = await start({ env: mailOf(smtp.url), clock });
    const { url } = instance;
    const ada = await setUp(instance);
    let count = 0;
    const request = async (person: Person, email: string) => {
      expect((await change(url, person, email)).status).toBe(200);
      count += 2;
      await smtp.mail(count);
      const mail = smtp.mails.findLast((one) => one.to.includes(email));
      return mail ? linkIn(mail).token : "";
    };
    const confirm = async (token: string) =>
      (await send(url, "POST /api/account/email/confirm", { body: { token } })).status;
    const bob = await join(url, ada, { email: "bob@example.com" });
    const [first, second] = [await request(bob, "one@example.com"), await request(bob, "two@example.com")];
    expect(first).not.toBe("");
    expect(await confirm(first)).toBe(404);
    await bob.client.changePassword({ body: { current: password, next: "another password for bob" } });
    expect(await confirm(second)).toBe(404);
    const third = await request(bob, "three@example.com");
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "suspended" } });
    await ada.client.changePerson({ params: { userId: bob.userId }, body: { state: "active" } });
    expect(await confirm(third)).toBe(404);
    const cy = await join(url, ada, { email: "cy@example.com" });
    const late = await request(cy, "late@example.com");
    clock.pass(25 * 60 * 60_000);
    expect(await confirm(late)).toBe(404);
  });

  test("with mail the response does not show whether the new address has an account", async () => {
    const smtp = await startMailServer();
    const instance = await start({ env: mailOf(smtp.url) });
    const { url } = instance;
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com" });
    const [taken, free] = [await change(url, bob, ada.email), await change(url, bob, "free@example.com")];
    expect(taken.status).toBe(free.status);
    expect(taken.body).toMatchObject({ account: { email: bob.email }, pendingEmail: ada.email });
    await smtp.mail(4);
    const mail = smtp.mails.find(({ to }) => to.includes(ada.email));
    expect(mail?.text).toContain("already belongs to an account");
    expect(linkIn(mail ?? (smtp.mails[0] as ReceivedMail)).token).toBe("");
  });

  test("one address gets at most three mails in an hour", async () => {
    const smtp = await startMailServer();
    const instance = await start({ env: mailOf(smtp.url) });
    const bob = await join(instance.url, await setUp(instance), { email: "bob@example.com" });
    const statuses: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) statuses.push((await change(instance.url, bob)).status);
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses[3]).toBeGreaterThanOrEqual(429);
  });
});
