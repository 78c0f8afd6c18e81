import { expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import { StorageFull, Unavailable } from "../store/failure.ts";
import { toErrorReply, toErrorPage } from "./reply.ts";

const logged: object[] = [];
const keep = (fields: object): void => void logged.push(fields);
const logger = { debug: keep, info: keep, warn: keep, error: keep };

test.each([
  [new ApiError("conflict", "Another one."), 409, "conflict"],
  [new StorageFull("The disk is full. Free some space and try again."), 507, "storage-full"],
  [new Unavailable("the database cannot be reached"), 503, "unavailable"],
])("%s gets a specific status, code and message", (error, status, code) => {
  const reply = toErrorReply(error, "r1", logger);
  expect(reply.status).toBe(status);
  expect(JSON.parse(String(reply.body))).toMatchObject({ error: { code, requestId: "r1" } });
  expect(logged).toEqual([]);
});

test("any other error is a bug: logged with its stack, and shown only as a request id", () => {
  const reply = toErrorReply(new Error("select * from secrets"), "r2", logger);
  expect(reply.status).toBe(500);
  expect(String(reply.body)).not.toContain("secrets");
  expect(logged).toMatchObject([{ requestId: "r2" }]);
});

test("a navigation gets the same error as an HTML page without scripts", () => {
  const { status, headers, body } = toErrorPage(
    toErrorReply(new ApiError("not-found", 'No <script>alert("x")</script> & no more.'), "r3", logger),
  );
  expect(status).toBe(404);
  expect(headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-store" });
  expect(body).toContain("<h1>No &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; no more.</h1>");
  expect(body).toContain('<a href="/">');
});
