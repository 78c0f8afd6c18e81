import { expect, test } from "vitest";
import { accountsOn, join, password, send, setUp, signIn } from "../../support/accounts/accounts-instance.ts";
import { linkIn, startMailServer } from "../../support/accounts/mail-server.ts";
import { startInstance } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const mailOf = (url: string) => ({
  ...accountsOn,
  STONECHAT_SMTP_URL: url,
  STONECHAT_MAIL_FROM: "Stonechat <chat@example.com>",
  STONECHAT_PUBLIC_URL: "http://127.0.0.1:3737",
  STONECHAT_TRUSTED_PROXIES: "127.0.0.1",
});
const from = (address: string) => ({ "x-forwarded-for": address });
const requestReset = (url: string, email: string, address = "192.0.2.1") =>
  send(url, "POST /api/password-reset/request", { body: { email }, headers: from(address) });
const requestSignUp = (url: string, email: string, address = "192.0.2.1") =>
  send(url, "POST /api/sign-up", { body: { email }, headers: from(address) });

describeOnBoth("mail", (start, kind) => {
  const placeOf = (instance: { dataDir: string; databaseUrl: string }) =>
    kind === "postgres" ? instance : { dataDir: instance.dataDir };

  test("a user sets a new password with a link by mail, once", async () => {
    const smtp = await startMailServer();
    const instance = await start({ env: mailOf(smtp.url) });
    const { url } = instance;
    const ada = await setUp(instance);
    expect((await send(url, "GET /api/instance")).body).toEqual({ mode: "accounts", signIn: "password", mail: true });
    expect((await requestReset(url, " ADA@example.com ")).body).toEqual({});
    const mail = await smtp.mail(1);
    expect([mail.from, mail.to]).toEqual(["chat@example.com", ["ada@example.com"]]);
    const { url: link, path, token } = linkIn(mail);
    expect([link, path]).toEqual([`http://127.0.0.1:3737/reset#${token}`, "/reset"]);
    // Neither the link nor, once it is sent, the address is stored.
    await expect.poll(() => query(placeOf(instance), "select id from jobs where kind = 'mail'")).toEqual([]);
    const rows = await Promise.all(
      ["links", "audit", "jobs"].map((table) => query(placeOf(instance), `select * from ${table}`)),
    );
    expect(JSON.stringify(rows)).not.toContain(token);
    const next = "another password for ada";
    const reset = await send(url, "POST /api/password-reset", { body: { token, password: next } });
    expect(reset.status).toBe(200);
    expect((await send(url, "GET /api/me", { cookie: ada.cookie })).status).toBe(401);
    expect((await signIn(url, ada.email)).status).toBe(401);
    expect((await signIn(url, ada.email, next)).status).toBe(200);
    expect((await send(url, "POST /api/password-reset", { body: { token, password: next } })).status).toBe(404);
    expect(smtp.mails).toHaveLength(1);
  });

  test("a mail that the server refuses is sent later, with a link that works", async () => {
    const smtp = await startMailServer();
    smtp.refuse(true);
    const instance = await start({ env: mailOf(smtp.url) });
    await setUp(instance);
    await requestReset(instance.url, "ada@example.com");
    await expect.poll(smtp.attempts).toBeGreaterThanOrEqual(1);
    const [job] = await query<{ error: string | null }>(
      placeOf(instance),
      "select error from jobs where kind = 'mail'",
    );
    expect(job).toBeDefined();
    smtp.refuse(false);
    const { token } = linkIn(await smtp.mail(1));
    const body = { token, password: "another password for ada" };
    expect((await send(instance.url, "POST /api/password-reset", { body })).status).toBe(200);
  });

  test("an address of an allowed domain signs up with a link by mail; no other gets one", async () => {
    const smtp = await startMailServer();
    const env = { ...mailOf(smtp.url), STONECHAT_SIGN_UP_DOMAINS: "example.com" };
    const instance = await start({ env });
    const { url } = instance;
    const ada = await setUp(instance);
    expect((await send(url, "GET /api/instance")).body).toMatchObject({ signUp: true });
    for (const email of [
      "eve@else.example",
      "eve@evil-example.com",
      "eve@example.com.evil.example",
      "bob@example.com",
    ]) {
      expect((await requestSignUp(url, email)).body).toEqual({});
    }
    const { to, ...mail } = await smtp.mail(1);
    expect(to).toEqual(["bob@example.com"]);
    const { token } = linkIn({ to, ...mail });
    const opened = await send(url, "POST /api/invitations/open", { body: { token } });
    expect(opened.body).toMatchObject({ email: "bob@example.com", role: "member" });
    const accept = (email: string) =>
      send(url, "POST /api/invitations/accept", { body: { token, name: "Bob", email, password } });
    expect((await accept("eve@example.com")).status).toBe(400);
    const bob = await accept("bob@example.com");
    expect(bob.status).toBe(200);
    expect((await accept("bob@example.com")).status).toBe(404);
    // It is no invitation of an admin.
    expect((await ada.client.listInvitations({ params: {} })).invitations).toEqual([]);
    // An address that has an account gets a mail that says so.
    expect((await requestSignUp(url, "ada@example.com")).body).toEqual({});
    const second = await smtp.mail(2);
    expect([second.to, linkIn(second).token]).toEqual([["ada@example.com"], ""]);
    expect(smtp.mails).toHaveLength(2);
    const actions = await query<{ action: string }>(placeOf(instance), "select action from audit order by id");
    expect(actions.map(({ action }) => action)).toEqual(["set-up", "signed-up"]);
  });

  test("an invitation is sent to its address; names cannot add headers", async () => {
    const smtp = await startMailServer();
    const instance = await start({ env: mailOf(smtp.url) });
    const { url } = instance;
    const ada = await setUp(instance);
    const name = "Ada\r\nBcc: evil@example.com";
    expect((await send(url, "PATCH /api/account", { cookie: ada.cookie, body: { name } })).status).toBe(400);
    await ada.client.changeAccount({ params: {}, body: { name: "Ada <b>\u2028Bcc: evil@example.com" } });
    expect(
      (await send(url, "POST /api/invitations", { cookie: ada.cookie, body: { id: "i0", mail: true } })).status,
    ).toBe(400);
    for (const email of [
      "bob@example.com\r\nBcc: evil@example.com",
      "bob@example.com, evil@example.com",
      "<bob@example.com>",
    ]) {
      const body = { id: "i1", mail: true, email };
      expect((await send(url, "POST /api/invitations", { cookie: ada.cookie, body })).status, email).toBe(400);
    }
    await ada.client.createInvitation({ body: { id: "i1", mail: true, email: "bob@example.com" } });
    const mail = await smtp.mail(1);
    expect(mail.to).toEqual(["bob@example.com"]);
    expect(mail.headers.map(({ key }) => key)).not.toContain("bcc");
    expect(mail.subject).toBe("You are invited to Stonechat");
    expect(mail.text).toContain("Ada <b> Bcc: evil@example.com invites you");
    const { token } = linkIn(mail);
    const body = { token, name: "Bob", email: "bob@example.com", password };
    expect((await send(url, "POST /api/invitations/accept", { body })).status).toBe(200);
  });
});

const probes = 100;

test(`${probes} requests for links do not show who has an account`, { timeout: 120_000 }, async () => {
  const smtp = await startMailServer();
  const env = { ...mailOf(smtp.url), STONECHAT_SIGN_UP_DOMAINS: "example.com" };
  const instance = await startInstance({ env });
  const { url } = instance;
  const ada = await setUp(instance);
  const gone = await join(url, ada, { email: "gone@example.com" });
  await ada.client.changePerson({ params: { userId: gone.userId }, body: { state: "suspended" } });
  const times = { known: [] as number[], unknown: [] as number[] };
  const replies = new Set<string>();
  for (let n = 0; n < probes; n += 1) {
    const isKnown = n % 2 === 0;
    const email = isKnown ? (n % 4 === 0 ? ada.email : gone.email) : `nobody${n}@example.com`;
    for (const ask of [requestReset, requestSignUp]) {
      const startedAt = performance.now();
      const { status, body, retry } = await ask(url, email, `192.0.2.${n}`);
      times[isKnown ? "known" : "unknown"].push(performance.now() - startedAt);
      replies.add(JSON.stringify([status, body, retry]));
    }
  }
  expect([...replies]).toEqual([JSON.stringify([200, {}, null])]);
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
  const [known, unknown] = [median(times.known), median(times.unknown)];
  expect(Math.abs(known - unknown)).toBeLessThan(Math.max(5, unknown / 2));
  // The control: mails were sent, and no more to an address than its limit.
  await expect.poll(() => smtp.mails.filter(({ to }) => to[0] === ada.email).length).toBeGreaterThanOrEqual(2);
  expect(
    smtp.mails.filter(({ to, subject }) => to[0] === ada.email && subject.startsWith("Set")).length,
  ).toBeLessThanOrEqual(3);
  expect(smtp.mails.filter(({ to, subject }) => to[0] === gone.email && subject.startsWith("Set"))).toEqual([]);
});

test("one network cannot cause more than 20 mails in an hour", async () => {
  const smtp = await startMailServer();
  const { url, ...instance } = await startInstance({ env: mailOf(smtp.url) });
  await setUp({ url, ...instance });
  for (let n = 0; n < 20; n += 1) expect((await requestReset(url, `nobody${n}@example.com`)).status).toBe(200);
  const refused = await requestReset(url, "ada@example.com");
  expect([refused.status, refused.retry]).toEqual([429, "3600"]);
  expect((await requestReset(url, "ada@example.com", "198.51.100.1")).status).toBe(200);
  await smtp.mail(1);
});

test("without a mail server nothing is offered, and every request says so", async () => {
  const instance = await startInstance({ env: { ...accountsOn, STONECHAT_SIGN_UP_DOMAINS: "example.com" } });
  const { url } = instance;
  const ada = await setUp(instance);
  expect((await send(url, "GET /api/instance")).body).toEqual({ mode: "accounts", signIn: "password" });
  for (const ask of [requestReset, requestSignUp]) {
    const { status, body } = await ask(url, "ada@example.com");
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("sends no mail")]);
  }
  const body = { id: "i1", mail: true, email: "bob@example.com" };
  expect((await send(url, "POST /api/invitations", { cookie: ada.cookie, body })).status).toBe(400);
});
