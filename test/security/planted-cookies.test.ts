import { request } from "node:http";
import { expect, test } from "vitest";
import { accountsOn, clientOf, join, password, setUp } from "../support/accounts/accounts-instance.ts";
import { startInstance } from "../support/instance.ts";

type Reply = { readonly status: number; readonly body: string; readonly cookies: readonly string[] };

/** Sets the `Host` header, as a browser or a proxy does. */
const send = (
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const type: Record<string, string> = body ? { "content-type": "application/json" } : {};
    const sent = request(url + path, { method, headers: { ...type, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString(),
          cookies: (response.headers["set-cookie"] ?? []).map((one) => one.split(";")[0] ?? ""),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body ? JSON.stringify(body) : undefined);
  });

const publicEnv = {
  ...accountsOn,
  STONECHAT_PUBLIC_URL: "https://chat.example.com",
  STONECHAT_HOSTS: "chat.example.com,home.example",
};
const host = "chat.example.com";

async function open(env: Readonly<Record<string, string>>) {
  const instance = await startInstance({ env });
  const { url } = instance;
  const ada = await setUp(instance);
  const mallory = await join(url, ada, { email: "mallory@example.com" });
  const signIn = async (headers: Record<string, string>, email = ada.email) => {
    const { status, cookies } = await send(url, "POST", "/api/sign-in", headers, { email, password });
    expect(status).toBe(200);
    return cookies[0] ?? "";
  };
  const whoIs = async (headers: Record<string, string>) => {
    const { status, body } = await send(url, "GET", "/api/me", headers);
    return status === 200 ? (JSON.parse(body) as { userId: string }).userId : status;
  };
  return { url, ada, mallory, signIn, whoIs };
}

const plain = (cookie: string) => cookie.replace("__Host-", "");

test("with an https public address only cookies bound to the host are read there, and sign-ins set them", async () => {
  const { url, ada, mallory, signIn, whoIs } = await open(publicEnv);
  const own = await signIn({ host, origin: `https://${host}` });
  const planted = plain(await signIn({ host }, mallory.email));
  expect(own).toMatch(/^__Host-stonechat-session=/);
  // A program without an Origin header gets the same name.
  expect(await signIn({ host })).toMatch(/^__Host-stonechat-session=/);
  expect(await whoIs({ host, cookie: own })).toBe(ada.userId);
  expect(await whoIs({ host, cookie: planted })).toBe(401);
  for (const cookie of [`${planted}; ${own}`, `${own}; ${planted}`, `a=b;${planted};${own}; c`]) {
    expect(await whoIs({ host, cookie })).toBe(ada.userId);
  }
  // The control: the planted session is a valid one, under the name that is read.
  expect(await whoIs({ host, cookie: `__Host-${planted}` })).toBe(mallory.userId);
  // A sign-out ends the browser's own session, and not the planted one.
  expect((await send(url, "POST", "/api/sign-out", { host, cookie: `${planted}; ${own}` }, {})).status).toBe(200);
  expect(await whoIs({ host, cookie: own })).toBe(401);
  expect(await whoIs({ host, cookie: `__Host-${planted}` })).toBe(mallory.userId);
});

test("addresses in the local network without TLS still work, and a bound cookie wins there", async () => {
  const { url, ada, mallory, signIn, whoIs } = await open(publicEnv);
  const home = { host: "home.example" };
  const own = await signIn({ ...home, origin: "http://home.example" });
  expect(own).toMatch(/^stonechat-session=/);
  expect(await whoIs({ ...home, cookie: own })).toBe(ada.userId);
  const planted = plain(await signIn(home, mallory.email));
  expect(await whoIs({ ...home, cookie: `${planted}; __Host-${own}` })).toBe(ada.userId);
  expect((await clientOf(url, own).getMe({})).userId).toBe(ada.userId);
});

test("a proxy that replaces Host is recognized by its address", async () => {
  const { ada, mallory, signIn, whoIs } = await open({ ...publicEnv, STONECHAT_TRUSTED_PROXIES: "127.0.0.1" });
  const own = await signIn({ origin: `https://${host}` });
  const planted = plain(await signIn({}, mallory.email));
  expect(await whoIs({ cookie: own })).toBe(ada.userId);
  expect(await whoIs({ cookie: planted })).toBe(401);
});

test("without a public address a cookie without the bound name is ignored only next to one that has it", async () => {
  const { ada, mallory, signIn, whoIs } = await open(accountsOn);
  const [own, planted] = [await signIn({}), await signIn({}, mallory.email)];
  expect(own).toMatch(/^stonechat-session=/);
  expect(await whoIs({ cookie: own })).toBe(ada.userId);
  expect(await whoIs({ cookie: `${planted}; __Host-${own}` })).toBe(ada.userId);
  expect(await whoIs({ cookie: `${planted}; __Host-stonechat-session=ended` })).toBe(401);
});
