import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../server/lib/clock.ts";
import { createGate } from "../support/instance.ts";
import { authenticateInMemory, keysInMemory } from "../support/net/sessions.ts";
import { listenTestApp } from "./test-app.ts";

test("revoking a key cuts every response it has open, except the one that reports it, and those of no other key", async () => {
  const keys = keysInMemory(systemClock);
  const local = { userId: "local" };
  const create = async (id: string) => (await keys.create(local, { id, name: id, scopes: ["read", "admin"] })).token;
  const [revoked, other] = [await create("revoked"), await create("other")];
  const gate = createGate();
  const { app, url } = await listenTestApp({
    authentication: authenticateInMemory(null, systemClock, new Map(), keys),
    handlers: { revokeKey: () => keys.revoke(local, "revoked"), getMe: async () => ({}) } as never,
    sessionCheckMs: 600_000,
    attachments: {
      add: () => Promise.reject(new Error("unused")),
      assertFreeSlot: async () => {},
      openPage: async () => new Uint8Array(),
      open: async () => ({
        ...{ name: "a.txt", kind: "text", mediaType: "text/plain", sizeBytes: 11 },
        pieces: (async function* () {
          yield Buffer.from("first,");
          await gate.passed;
          yield Buffer.from("last.");
        })(),
      }),
    },
  });
  onTestFinished(() => app.close(0));
  const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
  const download = async (key: string) => {
    const reader = (await fetch(`${url}/api/attachments/x/file`, as(key))).body!.getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toBe("first,");
    return reader;
  };
  const [cut, kept] = [await download(revoked), await download(other)];
  const stream = (await fetch(`${url}/api/stream`, as(revoked))).body!.getReader();
  await stream.read();

  const response = await fetch(`${url}/api/keys/revoked`, { method: "DELETE", ...as(revoked) });
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ id: "revoked" });
  await expect(cut.read()).rejects.toThrow();
  // An event stream has no length, so that its cut looks like its end.
  const isOver = stream.read().then(
    ({ done }) => done,
    () => true,
  );
  expect(await isOver).toBe(true);
  gate.open();
  expect(new TextDecoder().decode((await kept.read()).value)).toBe("last.");
  expect((await fetch(`${url}/api/me`, as(revoked))).status).toBe(401);
});
