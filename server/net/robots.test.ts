import { expect, test } from "vitest";
import { NetError } from "./net-error.ts";
import { createRobots } from "./robots.ts";

const page = new URL("https://a.example/private/x");
const HOUR_MS = 60 * 60_000;
const never = new AbortController().signal;

const setUp = (answer: () => Promise<{ status: number; text: string }>) => {
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  let now = 0;
  const robots = createRobots({
    agent: "Stonechat",
    clock: { now: () => now, monotonic: () => now },
    read: (url, signal) => {
      asked.push(url);
      signals.push(signal);
      return answer();
    },
  });
  return { robots, asked, signals, pass: (ms: number) => (now += ms) };
};
const says = (status: number, text = "") => setUp(() => Promise.resolve({ status, text }));
const forbidding = "User-agent: *\nDisallow: /private";

test("refuses pages that robots.txt disallows, and allows others", async () => {
  const { robots, asked } = says(200, forbidding);
  await expect(robots.assertAllowed(page, never)).rejects.toMatchObject({ code: "robots" });
  await robots.assertAllowed(new URL("/public", page), never);
  expect(asked).toEqual(["https://a.example/robots.txt"]);
});

test("asks each origin, and again after an hour", async () => {
  const { robots, asked, pass } = says(200);
  for (const url of ["https://a.example/", "http://a.example/", "https://a.example:8443/", "https://a.example/b"])
    await robots.assertAllowed(new URL(url), never);
  expect(asked).toHaveLength(3);
  pass(HOUR_MS - 1);
  await robots.assertAllowed(page, never);
  expect(asked).toHaveLength(3);
  pass(1);
  await robots.assertAllowed(page, never);
  expect(asked).toHaveLength(4);
});

test.each([400, 401, 403, 404, 410, 429])("allows everything if robots.txt returns %i", async (status) => {
  await says(status, forbidding).robots.assertAllowed(page, never);
});

test.each([500, 503])("refuses a site for a while if robots.txt returns %i", async (status) => {
  const { robots, asked, pass } = says(status);
  await expect(robots.assertAllowed(page, never)).rejects.toMatchObject({ code: "robots" });
  await expect(robots.assertAllowed(page, never)).rejects.toMatchObject({ code: "robots" });
  expect(asked).toHaveLength(1);
  pass(HOUR_MS);
  await expect(robots.assertAllowed(page, never)).rejects.toMatchObject({ code: "robots" });
  expect(asked).toHaveLength(2);
});

test("passes on a network error and does not cache it", async () => {
  const { robots, asked } = setUp(() => Promise.reject(new NetError("connect", "gone")));
  await expect(robots.assertAllowed(page, never)).rejects.toMatchObject({ code: "connect" });
  await expect(robots.assertAllowed(page, never)).rejects.toMatchObject({ code: "connect" });
  expect(asked).toHaveLength(2);
});

test("treats endless redirects of robots.txt as no rules", async () => {
  const { robots } = setUp(() => Promise.reject(new NetError("too-many-redirects", "round and round")));
  await robots.assertAllowed(page, never);
});

test("concurrent callers share one request, and it survives a caller that aborts", async () => {
  const answer = Promise.withResolvers<{ status: number; text: string }>();
  const { robots, asked, signals } = setUp(() => answer.promise);
  const leaver = new AbortController();
  const first = robots.assertAllowed(new URL("/1", page), leaver.signal);
  const second = robots.assertAllowed(new URL("/2", page), never);
  leaver.abort(new NetError("aborted", "left"));
  await expect(first).rejects.toMatchObject({ code: "aborted" });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  answer.resolve({ status: 200, text: "" });
  await second;
  expect(asked).toHaveLength(1);
});

test("aborts a request when its last caller has left", async () => {
  const { robots, signals } = setUp(() => new Promise(() => {}));
  const leaver = new AbortController();
  const asked = robots.assertAllowed(page, leaver.signal);
  leaver.abort(new NetError("aborted", "left"));
  await expect(asked).rejects.toMatchObject({ code: "aborted" });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});
