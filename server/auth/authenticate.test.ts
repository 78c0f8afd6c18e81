import { describe, expect, test } from "vitest";
import { authenticateInMemory, type SessionRows } from "../../test/support/net/sessions.ts";
import type { Authentication } from "./authenticate.ts";
import { toNetwork } from "../net/client-address.ts";

const token = "a-token-of-the-instance";
const day = 24 * 3600 * 1000;
const here = { https: false, address: "192.0.2.1" };

function setUp(given: string | null = token, rows: SessionRows = new Map()) {
  const time = { now: 1_800_000_000_000 };
  const clock = { now: () => time.now, monotonic: () => time.now };
  return { time, rows, authentication: authenticateInMemory(given, clock, rows) };
}
const bearer = (text: string, address = here.address) => ({
  authorization: `Bearer ${text}`,
  cookie: undefined,
  address,
});
const nobody = { authorization: undefined, cookie: undefined, address: here.address };
const session = (cookie: string) => ({ ...nobody, cookie: cookie.split(";")[0] });
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "passed",
    (error: { code: string }) => error.code,
  );
const guess = (authentication: Authentication, text: string, address?: string) =>
  codeOf(authentication.authenticate(bearer(text, address)));

describe("without a token", () => {
  test("every request is the local user, and sign-in is refused", async () => {
    const { authentication } = setUp(null);
    expect(await authentication.authenticate(nobody)).toEqual({ userId: "local", role: "admin" });
    expect(await codeOf(authentication.signIn("x", here))).toBe("invalid");
    expect(authentication.kind).toBe("none");
  });
});

describe("with a token", () => {
  test("accepts it as a bearer token and as a session, for the same user as without a token", async () => {
    const { authentication, rows } = setUp();
    expect(await authentication.authenticate(bearer(token))).toEqual({ userId: "local", role: "admin" });
    const { cookie } = await authentication.signIn(token, here);
    const [hash = ""] = rows.keys();
    expect(await authentication.authenticate(session(cookie))).toEqual({
      ...{ userId: "local", role: "admin", session: hash },
    });
    expect(cookie).not.toContain(token);
    expect(cookie).not.toContain(hash);
  });

  test.each(["", "x", token.slice(0, -1), `${token}x`, token.toUpperCase()])("refuses %j", async (text) => {
    const { authentication } = setUp();
    expect(await guess(authentication, text)).toBe("unauthenticated");
    expect(await codeOf(authentication.signIn(text, here))).toBe("unauthenticated");
  });

  test("a session expires after thirty days, and the next sign-in deletes its row", async () => {
    const { authentication, time, rows } = setUp();
    const { cookie } = await authentication.signIn(token, here);
    time.now += 30 * day - 1;
    expect(await codeOf(authentication.authenticate(session(cookie)))).toBe("passed");
    time.now += 1;
    expect(await codeOf(authentication.authenticate(session(cookie)))).toBe("unauthenticated");
    await authentication.signIn(token, here);
    expect(rows.size).toBe(1);
  });

  test("stores the time of last use, to the hour", async () => {
    const { authentication, time, rows } = setUp();
    const start = time.now;
    const { cookie } = await authentication.signIn(token, here);
    const used = () => [...rows.values()].map(({ used_at }) => used_at - start);
    time.now += 1_800_000;
    await authentication.authenticate(session(cookie));
    expect(used()).toEqual([0]);
    time.now += 3_600_000;
    await authentication.authenticate(session(cookie));
    expect(used()).toEqual([5_400_000]);
  });

  test("a session survives a restart and ends when the token changes", async () => {
    const { authentication, rows } = setUp();
    const { cookie } = await authentication.signIn(token, here);
    expect(await codeOf(setUp(token, rows).authentication.authenticate(session(cookie)))).toBe("passed");
    const changed = setUp("another-token-altogether", rows).authentication;
    expect(await codeOf(changed.authenticate(session(cookie)))).toBe("unauthenticated");
  });

  test("signing out ends that session for every copy of its cookie, and no other session", async () => {
    const { authentication } = setUp();
    const [first, second] = [await authentication.signIn(token, here), await authentication.signIn(token, here)];
    const { session: hash = "" } = await authentication.authenticate(session(first.cookie));
    expect(await authentication.findEnded([hash])).toEqual([]);
    expect((await authentication.signOut(first.cookie.split(";")[0])).ended).toEqual([hash]);
    expect(await authentication.findEnded([hash])).toEqual([hash]);
    expect(await codeOf(authentication.authenticate(session(first.cookie)))).toBe("unauthenticated");
    expect(await codeOf(authentication.authenticate(session(second.cookie)))).toBe("passed");
  });

  test("ignores a 0.1.0 cookie and a stale cookie next to a live one", async () => {
    const { authentication } = setUp();
    const { cookie } = await authentication.signIn(token, here);
    const old = "stonechat-session=1893456000000.bWFj";
    expect(await codeOf(authentication.authenticate(session(old)))).toBe("unauthenticated");
    const both = { ...nobody, cookie: `${old}; ${cookie.split(";")[0]}` };
    expect(await codeOf(authentication.authenticate(both))).toBe("passed");
  });
});

describe("guessing", () => {
  test("must wait after ten wrong tokens, longer each time, while the right token is still accepted", async () => {
    const { authentication, time } = setUp();
    for (let n = 0; n < 10; n += 1) expect(await guess(authentication, `wrong-${n}`)).toBe("unauthenticated");
    await expect(authentication.authenticate(bearer("wrong-10"))).rejects.toThrow("Wait 1 second ");
    const refused = expect.objectContaining({
      message: expect.stringContaining("Wait 2 seconds "),
      retryAfterSeconds: 2,
    });
    await expect(authentication.authenticate(bearer("wrong-11"))).rejects.toEqual(refused);
    expect(await guess(authentication, token)).toBe("passed");
    expect(await codeOf(authentication.signIn(token, here))).toBe("passed");
    time.now += 120_000;
    expect(await guess(authentication, "wrong")).toBe("unauthenticated");
  });

  test("is counted per address, and an IPv6 network counts as one address", async () => {
    const { authentication } = setUp();
    for (let n = 0; n < 20; n += 1) await guess(authentication, `wrong-${n}`, `2001:db8:1:2::${n + 1}`);
    expect(await guess(authentication, "wrong", "2001:db8:1:2:ffff::9")).toBe("busy");
    expect(await guess(authentication, "wrong", "2001:db8:1:3::1")).toBe("unauthenticated");
    expect(await guess(authentication, "wrong", "192.0.2.77")).toBe("unauthenticated");
  });

  test("counts a repeated wrong token only once", async () => {
    const { authentication } = setUp();
    for (let n = 0; n < 50; n += 1) expect(await guess(authentication, "an-old-token")).toBe("unauthenticated");
  });

  test("is blocked at hundreds per minute, for that address only", async () => {
    const { authentication, time } = setUp();
    for (let n = 0; n < 600; n += 1) await guess(authentication, `wrong-${n}`);
    await expect(authentication.authenticate(bearer(token))).rejects.toMatchObject({
      code: "busy",
      retryAfterSeconds: 60,
    });
    expect(await guess(authentication, token, "192.0.2.2")).toBe("passed");
    time.now += 60_000;
    expect(await guess(authentication, token)).toBe("passed");
  });

  test("does not count requests without a token", async () => {
    const { authentication } = setUp();
    for (let n = 0; n < 50; n += 1) expect(await codeOf(authentication.authenticate(nobody))).toBe("unauthenticated");
    expect(await guess(authentication, "wrong")).toBe("unauthenticated");
  });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:DB8:0:0:1:2:3:4", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
])("%s belongs to %s", (address, network) => expect(toNetwork(address)).toBe(network));
