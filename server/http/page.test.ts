import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { createPage } from "./page.ts";

const script = "console.log(1);".repeat(100);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "page-"));
  await mkdir(join(folder, "dist/assets"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "secret");
  await writeFile(join(folder, "dist/.env"), "secret");
  await writeFile(join(folder, "dist/index.html"), "<!doctype html>");
  await writeFile(join(folder, "dist/icon.svg"), "<svg/>");
  await writeFile(join(folder, "dist/assets/index-a1b2.js"), script);
});
const get = (path: string, accept = "") => createPage(join(folder, "dist"))(path, accept);

const views = [
  "/",
  "/t/abc",
  "/t/0190-aa_B",
  "/p/abc",
  "/p/0190-aa_B/tasks",
  "/settings",
  "/settings/models",
  "/search",
];

test.each(views)("%s returns the document, which is revalidated each time", async (path) => {
  expect(await get(path)).toMatchObject({
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" },
    body: Buffer.from("<!doctype html>"),
  });
});

test("hashed files are cached permanently, with their media type", async () => {
  expect((await get("/assets/index-a1b2.js")).headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
  });
  expect((await get("/icon.svg")).headers).toMatchObject({
    "content-type": "image/svg+xml; charset=utf-8",
    "cache-control": "no-cache",
  });
});

test("hashed files are compressed as the browser accepts", async () => {
  const br = await get("/assets/index-a1b2.js", "gzip, deflate, br");
  expect(br.headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding" });
  expect(brotliDecompressSync(br.body).toString()).toBe(script);
  const gzip = await get("/assets/index-a1b2.js", "gzip");
  expect(gunzipSync(gzip.body).toString()).toBe(script);
  expect((await get("/assets/index-a1b2.js", "identity")).headers).not.toHaveProperty("content-encoding");
});

test.each([
  "/../secret.txt",
  "/assets/../../secret.txt",
  "/%2e%2e/secret.txt",
  "/.env",
  "/assets",
  "/nothing.js",
  "/t/a/b",
  "/p/a/b/c",
  "/p/a/B",
  "/settings/a/b",
  "//x",
  "/a\\b",
  "/index.html\0",
])("%j is not found", async (path) => {
  await expect(get(path)).rejects.toMatchObject({ code: "not-found" });
});

test("an unbuilt page returns an error that says how to build it", async () => {
  await expect(createPage(join(folder, "none"))("/", "")).rejects.toMatchObject({ code: "unavailable" });
});
