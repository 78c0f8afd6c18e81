import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { findFreePort } from "../support/free-port.ts";
import { startInstance } from "../support/instance.ts";
import { noBrowser, openPage } from "./open-page.ts";

/** An app of another site: an empty page. */
async function startApp(): Promise<string> {
  const app = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>App</title>");
  });
  await new Promise<void>((resolve) => app.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void app.close());
  return `http://localhost:${(app.address() as AddressInfo).port}`;
}

/** In the page: what a fetch gets. Reads one piece of a stream. */
const fetchText = `async (url, init) => {
  try {
    const response = await fetch(url, init);
    const { value } = await response.body.getReader().read();
    const text = new TextDecoder().decode(value);
    return [response.status, response.headers.get("x-request-id") !== null, text.slice(0, 200)];
  } catch {
    return "blocked";
  }
}`;

test.skipIf(noBrowser)(
  "a page of a listed origin calls the API with a key from a browser; without a key or with cookies it cannot",
  async () => {
    const [app, stranger, port] = [await startApp(), await startApp(), String(await findFreePort())];
    const { url, client } = await startInstance({ env: { STONECHAT_CORS_ORIGINS: app, STONECHAT_PORT: port } });
    const { token } = await client.createKey({ body: { id: "k", name: "k", scopes: ["read", "chat"] } });
    const key = { authorization: `Bearer ${token}` };
    const json = { "content-type": "application/json" };
    const create = { method: "POST", headers: { ...key, ...json }, body: JSON.stringify({ id: "from-app" }) };

    const page = await openPage(app, { allowErrors: true });
    const ask = (path: string, init: object = {}) =>
      page.evaluate(`(${fetchText})(${JSON.stringify(url + path)}, ${JSON.stringify(init)})`);
    expect(await ask("/api/me", { headers: key })).toEqual([200, true, expect.stringContaining('"local"')]);
    expect(await ask("/api/threads", create)).toEqual([201, true, expect.stringContaining("from-app")]);
    expect(await ask("/api/stream", { headers: key })).toEqual([200, false, expect.stringContaining(": ")]);
    expect(await ask("/api/keys", { headers: key })).toEqual([403, true, expect.stringContaining("admin")]);
    expect(await ask("/api/me")).toEqual([403, true, expect.stringContaining("STONECHAT_CORS_ORIGINS")]);
    expect(await ask("/api/me", { headers: key, credentials: "include" })).toBe("blocked");

    await page.goto(stranger);
    expect(await ask("/api/me", { headers: key })).toBe("blocked");
    expect(await ask("/api/threads", { ...create, body: JSON.stringify({ id: "from-stranger" }) })).toBe("blocked");
    expect((await client.listThreads({})).threads.map(({ id }) => id)).toEqual(["from-app"]);
  },
);
