import { describe, expect, test } from "vitest";
import { createAuthentication, type Authentication } from "./authenticate.ts";

const token = "a-token-of-the-instance";
const day = 24 * 3600 * 1000;

function setUp(given: string | null = token) {
  const time = { now: 1_800_000_000_000 };
  const clock = { now: () => time.now, monotonic: () => time.now };
  return { time, authentication: createAuthentication({ token: given, clock }) };
}
const bearer = (text: string) => ({ authorization: `Bearer ${text}`, cookie: undefined });
const session = (cookie: string) => ({ authorization: undefined, cookie: cookie.split(";")[0] });
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "passed",
    (error: { code: string }) => error.code,
  );
const guess = (authentication: Authentication, text: string) => codeOf(authentication.authenticate(bearer(text)));

describe("without a token", () => {
  test("everybody is the local principal, and there is nothing to sign in to", async () => {
    const { authentication } = setUp(null);
    expect(await authentication.authenticate({ authorization: undefined, cookie: undefined })).toEqual({
      userId: "local",
    });
    expect(await codeOf(authentication.signIn("x", false))).toBe("invalid");
    expect(authentication.kind).toBe("none");
  });
});

describe("with a token", () => {
  test("it admits as a bearer and as a session, to the same principal as without one", async () => {
    const { authentication } = setUp();
    expect(await authentication.authenticate(bearer(token))).toEqual({ userId: "local" });
    const { cookie } = await authentication.signIn(token, false);
    expect(await authentication.authenticate(session(cookie))).toEqual({ userId: "local" });
    expect(cookie).not.toContain(token);
  });

  test.each(["", "x", token.slice(0, -1), `${token}x`, token.toUpperCase()])("%j is not it", async (text) => {
    const { authentication } = setUp();
    expect(await guess(authentication, text)).toBe("unauthenticated");
    expect(await codeOf(authentication.signIn(text, false))).toBe("unauthenticated");
  });

  test("a session ends after thirty days", async () => {
    const { authentication, time } = setUp();
    const { cookie } = await authentication.signIn(token, false);
    time.now += 30 * day - 1;
    expect(await codeOf(authentication.authenticate(session(cookie)))).toBe("passed");
    time.now += 1;
    expect(await codeOf(authentication.authenticate(session(cookie)))).toBe("unauthenticated");
  });

  test("a session outlives a restart and ends with a change of the token", async () => {
    const { cookie } = await setUp().authentication.signIn(token, false);
    expect(await codeOf(setUp().authentication.authenticate(session(cookie)))).toBe("passed");
    expect(await codeOf(setUp("another-token-altogether").authentication.authenticate(session(cookie)))).toBe(
      "unauthenticated",
    );
  });

  test("a session whose end was moved is none", async () => {
    const { authentication } = setUp();
    const { cookie } = await authentication.signIn(token, false);
    const later = cookie.replace(/=(\d+)/, (_, end: string) => `=${Number(end) + day}`);
    expect(await codeOf(authentication.authenticate(session(later)))).toBe("unauthenticated");
  });

  test("a stale cookie beside a live one does no harm", async () => {
    const { authentication } = setUp();
    const { cookie } = await authentication.signIn(token, true);
    const both = `stonechat-session=1.x; ${cookie.split(";")[0]}`;
    expect(await codeOf(authentication.authenticate({ authorization: undefined, cookie: both }))).toBe("passed");
  });
});

describe("guessing", () => {
  test("stops after ten wrong tokens, even for the right one, and goes on one by one as time passes", async () => {
    const { authentication, time } = setUp();
    for (let n = 0; n < 10; n += 1) expect(await guess(authentication, `wrong-${n}`)).toBe("unauthenticated");
    expect(await guess(authentication, "wrong")).toBe("busy");
    expect(await guess(authentication, token)).toBe("busy");
    expect(await codeOf(authentication.signIn(token, false))).toBe("busy");
    time.now += 6_000;
    expect(await guess(authentication, "wrong")).toBe("unauthenticated");
    expect(await guess(authentication, "wrong")).toBe("busy");
    time.now += 60_000;
    expect(await guess(authentication, token)).toBe("passed");
  });

  test("does not shut out who is signed in, and asking without a token is no guess", async () => {
    const { authentication } = setUp();
    const { cookie } = await authentication.signIn(token, false);
    for (let n = 0; n < 50; n += 1) {
      expect(await codeOf(authentication.authenticate({ authorization: undefined, cookie: undefined }))).toBe(
        "unauthenticated",
      );
    }
    for (let n = 0; n < 11; n += 1) await guess(authentication, "wrong");
    expect(await guess(authentication, token)).toBe("busy");
    expect(await codeOf(authentication.authenticate(session(cookie)))).toBe("passed");
  });
});
