import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSeal } from "../../server/lib/seal.ts";
import { createTokens, TOKEN_MS } from "../../server/workspace/preview/token.ts";
import { writeWorkspace } from "../browser/preview/write-workspace.ts";
import { put } from "../support/store-rows.ts";
import { makeFolder, startTestServer, type TestServer } from "./start-test-server.ts";
import { origin } from "./test-app.ts";

const seal = createSeal(new Uint8Array(32));
const at = (now: number) => createTokens({ seal, clock: { now: () => now, monotonic: () => now } });

describe("preview URLs", () => {
  let testServer: TestServer;
  let own: string;
  beforeAll(async () => {
    testServer = await startTestServer(await makeFolder());
    await writeWorkspace(testServer.store, "mine", {
      "index.html": "<h1>mine</h1>",
      "a/b.txt": "the text",
      "x.svg": "<svg/>",
    });
    await writeWorkspace(
      testServer.store,
      "bobs",
      { "index.html": "<h1>bob's own</h1>", "secret.txt": "bob's" },
      "bob",
    );
    own = (await testServer.asUser("local").openPreview({ params: { projectId: "mine" }, body: {} })).url;
  });
  afterAll(() => testServer.close());

  const get = async (path: string, init: RequestInit = {}) => {
    const response = await testServer.app.fetch(new Request(origin + path, init));
    return { status: response.status, text: await response.text(), headers: response.headers };
  };

  test("an App without index.html runs without warnings of the compiler or about the policy", async () => {
    for (const app of ["export default function App() { return <p>Hi</p>; }", "export const App = () => <p>Hi</p>;"]) {
      const projectId = `app-${app.length}`;
      await writeWorkspace(testServer.store, projectId, { "src/App.tsx": app });
      const { url } = await testServer.asUser("local").openPreview({ params: { projectId }, body: {} });
      const page = await get(url);
      expect(page.headers.get("content-security-policy")).not.toContain("webrtc");
      const [, entry = ""] = /src="([^"]*-shell\.tsx[^"]*)"/.exec(page.text) ?? [];
      const { text } = await get(new URL(entry, origin + url).pathname);
      expect(text).toContain("Hi");
      expect(text).not.toContain("__preview.warn(");
    }
  });

  test("a preview URL gives read access to its workspace without credentials", async () => {
    expect(await get(own)).toMatchObject({ status: 200, text: expect.stringContaining("<h1>mine</h1>") });
    expect(await get(`${own}a/b.txt`)).toMatchObject({ status: 200, text: "the text" });
  });

  test("it reads no other workspace and nothing else of this machine", async () => {
    for (const path of [
      "secret.txt",
      "../secret.txt",
      "..%2f..%2fetc%2fpasswd",
      "%2e%2e/%2e%2e/package.json",
      "/etc/passwd",
      "-/build/../../../../package.json.js",
      "-/build/%2fetc%2fpasswd.js",
      "-/reporter.ts",
      "bobs/secret.txt",
      "%00",
      "%ff%fe",
      "a/b.txt%00.html",
    ]) {
      const { status, text } = await get(own + path);
      expect(text, path).not.toMatch(/bob's|root:|"dependencies"/);
      // A path without a file answers 404, or with a script that reports the missing file.
      expect(status === 404 || text.startsWith("__preview.fail("), `${path} ${status}`).toBe(true);
    }
  });

  test("a token that was changed, made up, or sealed for something else opens nothing", async () => {
    const token = own.split("/")[2] ?? "";
    const flipped = `${token.slice(0, -3)}${token.at(-3) === "A" ? "B" : "A"}${token.slice(-2)}`;
    const foreign = createSeal(new Uint8Array(32).fill(1)).encrypt('{"for":"preview","project":"mine","user":"local"}');
    const sealedElsewhere = seal.encrypt(JSON.stringify({ project: "mine", user: "local", expiresAt: 1e15 }));
    for (const made of [flipped, foreign, sealedElsewhere, token.slice(1), "x", "", "a".repeat(3000)]) {
      const { status, text } = await get(`/preview/${made}/`);
      expect(status, made).toBe(404);
      expect(text).not.toContain("mine");
    }
  });

  test("it lasts an hour", async () => {
    const now = Date.now();
    const old = at(now - TOKEN_MS - 1).mint("mine", { user: "local" }).token;
    const young = at(now - TOKEN_MS + 60_000).mint("mine", { user: "local" }).token;
    expect(await get(`/preview/${old}/`)).toMatchObject({ status: 410, text: expect.stringContaining("has expired") });
    expect((await get(`/preview/${young}/`)).status).toBe(200);
  });

  test("it returns nothing for a project that was deleted or has a new owner", async () => {
    const foreign = at(Date.now()).mint("bobs", { user: "local" }).token;
    const nowhere = at(Date.now()).mint("nowhere", { user: "local" }).token;
    for (const token of [foreign, nowhere]) expect((await get(`/preview/${token}/`)).status).toBe(404);
    await writeWorkspace(testServer.store, "gone", { "index.html": "gone" });
    const token = at(Date.now()).mint("gone", { user: "local" }).token;
    expect((await get(`/preview/${token}/`)).status).toBe(200);
    for (const table of ["files", "blobs", "changes", "acts"] as const) {
      await put(testServer.store, { do: "delete", table, where: { project: "gone" } });
    }
    await put(testServer.store, { do: "delete", table: "projects", where: { id: "gone" } });
    expect((await get(`/preview/${token}/`)).status).toBe(404);
  });

  test("every answer is bound: no origin, no network, no guessing of types, no keeping", async () => {
    for (const path of [own, `${own}a/b.txt`, `${own}x.svg`, `${own}-/reporter.js`, `${own}nothing`, "/preview/x/"]) {
      const { headers } = await get(path);
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy, path).toMatch(
        /^sandbox(?! [^;]*(allow-same-origin|allow-popups|allow-top-navigation|allow-downloads))/,
      );
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'self'");
      expect(policy).not.toMatch(/\*|https?:(?!\/\/)|'self'(?!$)|unsafe-eval/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("set-cookie")).toBeNull();
    }
    const policy = (await get(own)).headers.get("content-security-policy") ?? "";
    for (const directive of [
      "script-src",
      "style-src",
      "img-src",
      "font-src",
      "media-src",
      "connect-src",
      "form-action",
    ]) {
      const sources = new RegExp(`${directive} ([^;]*)`).exec(policy)?.[1]?.split(" ") ?? [];
      const places = sources.filter((source) => !/^('unsafe-inline'|data:|blob:)$/.test(source));
      expect(places.length, directive).toBeGreaterThan(0);
      for (const place of places) expect(place, directive).toMatch(new RegExp(`^(http://)?localhost:3737${own}$`));
    }
  });

  test("opened directly, it is a page with a sandboxed frame and no scripts", async () => {
    const { text, headers } = await get(own, { headers: { "sec-fetch-dest": "document" } });
    expect(text).toContain(`<iframe title="Preview" sandbox="allow-scripts allow-forms allow-modals" src="${own}">`);
    expect(text).not.toContain("mine");
    expect(headers.get("content-security-policy")).not.toContain("script-src");
  });

  test("an origin that is none may ask for it, any other may not, and nothing else answers to none", async () => {
    expect((await get(own, { headers: { origin: "null" } })).status).toBe(200);
    expect((await get(own, { headers: { origin: "https://evil.example" } })).status).toBe(403);
    expect((await get(own, { headers: { host: "evil.example" } })).status).toBe(421);
    for (const path of [
      "/",
      "/api/me",
      "/api/projects",
      "/previews/",
      "/preview",
      "/api/openapi.json",
      "/metrics",
      "/healthz",
    ]) {
      const { status, headers } = await get(path, { headers: { origin: "null", authorization: "local" } });
      expect(status, path).toBe(403);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("it is read and nothing else", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect((await get(own, { method, headers: { origin: "null" }, body: "{}" })).status, method).toBe(405);
    }
    const { status, headers } = await get(own, { method: "OPTIONS", headers: { origin: "null" } });
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD");
  });
});
