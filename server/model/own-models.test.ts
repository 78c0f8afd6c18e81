import { expect, onTestFinished, test } from "vitest";
import { healthyReply } from "../../test/support/chat-wire.ts";
import { createProviderServer } from "../../test/support/provider-server.ts";
import { systemClock } from "../lib/clock.ts";
import { createLiveModels } from "./live-models.ts";

const id = "openrouter/test/model";
const request = { system: "", messages: [{ role: "user", text: "hello" }], tools: [], toolChoice: "none" } as const;

const open = async () => {
  const server = await createProviderServer({
    next: ({ headers }) =>
      headers.authorization === "Bearer bad" ? { status: 500, body: "" } : healthyReply("An answer."),
  });
  onTestFinished(server.close);
  const models = createLiveModels({
    config: { keys: { openrouter: "server" }, baseUrls: { openrouter: server.url } },
    clock: systemClock,
    stream: () => Promise.reject(new Error("not used")),
  });
  onTestFinished(models.close);
  /** The outcome of a background call, which does not try an open breaker. */
  const call = async (userId: string): Promise<string> => {
    const model = models.forUser(userId).find(id);
    let last = "";
    const events = model?.stream(request as never, AbortSignal.timeout(10_000), { isBackground: true }) ?? [];
    for await (const event of events) last = event.type === "failed" ? event.failure.code : event.type;
    return last;
  };
  return { server, models, call };
};

const keyOf = (key: string) => ({ keys: { openrouter: key }, proven: [] });

test("failures with one user's key do not pause the provider for the other users", async () => {
  const { server, models, call } = await open();
  models.useOwnKeys(new Map([["bob", keyOf("bad")]]));
  const outcomes: string[] = [];
  for (let tries = 0; tries < 6; tries += 1) outcomes.push(await call("bob"));
  expect(outcomes.slice(-2)).toEqual(["server-error", "resting"]);
  expect(server.calls).toHaveLength(5);
  expect(await call("ada")).toBe("finish");
  expect(server.calls.map(({ headers }) => headers.authorization)).toEqual([
    ...Array.from({ length: 5 }, () => "Bearer bad"),
    "Bearer server",
  ]);
});

test("a change of one user's key keeps the breakers of the others", async () => {
  const { models, call } = await open();
  models.useOwnKeys(new Map([["bob", keyOf("bad")]]));
  for (let tries = 0; tries < 5; tries += 1) await call("bob");
  models.useOwnKeys(
    new Map([
      ["bob", keyOf("bad")],
      ["cy", keyOf("good")],
    ]),
  );
  expect([await call("bob"), await call("cy")]).toEqual(["resting", "finish"]);
  models.useOwnKeys(new Map([["bob", keyOf("good")]]));
  expect(await call("bob")).toBe("finish");
});

test("users without own keys have the models of the server", async () => {
  const { models } = await open();
  models.useOwnKeys(new Map([["bob", keyOf("good")]]));
  expect(models.forUser("ada").find(id)?.usesOwnKey).toBeUndefined();
  expect(models.forUser("bob").find(id)?.usesOwnKey).toBe(true);
  expect(models.forUser("bob").find("offline")?.usesOwnKey).toBeUndefined();
  const ids = (userId: string) =>
    models
      .forUser(userId)
      .list()
      .map((info) => info.id);
  expect(ids("bob")).toEqual(ids("ada"));
});
