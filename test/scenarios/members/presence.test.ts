import { expect, test } from "vitest";
import { PRESENCE_MS } from "../../../protocol/project/presence.ts";
import { systemClock } from "../../../server/lib/clock.ts";
import { accountsOn, watchStream, type Person } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject, statusOf } from "../../support/accounts/shared-project.ts";
import { say, startInstance, type Instance } from "../../support/instance.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const env = accountsOn;
const script = () => say("An answer.");
const threadId = "shared";
type Node = Instance & { readonly databaseUrl: string };
type State = "open" | "typing" | "closed";

const path = `/api/threads/${threadId}/stream?after=0&presence=1`;
const report = async ({ client }: Person, state: State, tab = "tab-1") =>
  (await client.markPresent({ params: { threadId }, body: { tab, state } })).people.map(({ name, typing }) =>
    typing ? `${name}*` : name,
  );
/** The latest list in the text of a stream. */
const latest = ({ text }: { readonly text: string }): string => {
  const data = [...text.matchAll(/^event: presence\ndata: (.*)$/gm)].at(-1)?.[1] ?? `{"people":[]}`;
  const { people } = JSON.parse(data) as {
    readonly people: readonly { readonly name: string; readonly typing: boolean }[];
  };
  return people.map(({ name, typing }) => (typing ? `${name}*` : name)).join(" ");
};

describeOnBoth("presence in shared threads", (start, kind) => {
  const startNodes = async (): Promise<readonly [Node, Node]> => {
    const first = await start({ env, script });
    return kind === "sqlite" ? [first, first] : [first, await start({ env, script }, first.databaseUrl)];
  };

  test("members on both nodes see who has the thread open and who is typing, until the tab closes", async () => {
    const [first, second] = await startNodes();
    const { ada, bob, cy, projectId } = await shareProject(second);
    await bob.client.createThread({ body: { id: threadId, projectId } });
    const nodes = kind === "sqlite" ? [first] : [first, second];
    const streams = await Promise.all(nodes.map(({ url }) => watchStream(url, path, { cookie: cy.cookie })));
    const plain = await watchStream(first.url, path.replace("&presence=1", ""), { cookie: cy.cookie });
    const all = async (expected: string) => {
      for (const { seen } of streams) await expect.poll(() => latest(seen)).toBe(expected);
    };
    expect(await report(ada, "open")).toEqual(["Ada"]);
    await all("Ada");
    expect(await report(bob, "typing")).toEqual(["Ada", "Bob*"]);
    await all("Ada Bob*");
    // Several tabs of a user are one name.
    expect(await report(bob, "open", "tab-2")).toEqual(["Ada", "Bob*"]);
    await report(bob, "open");
    await all("Ada Bob");
    await report(bob, "closed");
    await report(ada, "closed");
    await all("Bob");
    await report(bob, "closed", "tab-2");
    await all("");
    // Nothing is stored, other readers get nothing, and the stream continues with its events.
    const { store } = first.server;
    const stored = await store.read.events(`thread:${threadId}`, 0, 1000);
    expect(JSON.stringify(stored)).not.toContain("typing");
    await ask(bob, threadId, "m1", "A message");
    await expect.poll(() => plain.seen.text.includes("A message")).toBe(true);
    for (const { seen } of streams) await expect.poll(() => seen.text.includes("A message")).toBe(true);
    expect(plain.seen.text).not.toContain("event: presence");
  });

  test("strangers and removed members see nothing and are not shown, and private threads have no list", async () => {
    const [first, second] = await startNodes();
    const { ada, bob, cy, dee, projectId } = await shareProject(second);
    await bob.client.createThread({ body: { id: threadId, projectId } });
    const route = `PUT /api/threads/${threadId}/presence`;
    expect(await statusOf(first.url, route, dee, { tab: "t", state: "open" })).toBe(404);
    const lost = await watchStream(first.url, path, { cookie: bob.cookie });
    const kept = await watchStream(second.url, path, { cookie: cy.cookie });
    await report(bob, "typing");
    await report(ada, "open");
    for (const { seen } of [lost, kept]) await expect.poll(() => latest(seen)).toBe("Ada Bob*");
    await ada.client.removeMember({ params: { projectId, userId: bob.userId } });
    await lost.ended;
    await expect.poll(() => latest(kept.seen)).toBe("Ada");
    await report(ada, "typing");
    await expect.poll(() => latest(kept.seen)).toBe("Ada*");
    expect(latest(lost.seen)).toBe("Ada Bob*");
    expect(await statusOf(first.url, route, bob, { tab: "t", state: "open" })).toBe(404);

    await ada.client.changeThread({ params: { threadId }, body: { id: "private", shared: false } });
    await kept.ended;
    expect(await report(ada, "typing")).toEqual([]);
    expect(await statusOf(first.url, route, cy, { tab: "t", state: "open" })).toBe(404);
  });
});

test("a tab that stops reporting is gone after less than 30 seconds, and a private thread of one user has no list", async () => {
  let offsetMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + offsetMs };
  const instance = await startInstance({ env, script, clock });
  const { ada, bob, cy, projectId } = await shareProject(instance);
  await bob.client.createThread({ body: { id: threadId, projectId } });
  const { seen } = await watchStream(instance.url, path, { cookie: cy.cookie });
  await report(bob, "typing");
  await expect.poll(() => latest(seen)).toBe("Bob*");
  offsetMs = PRESENCE_MS + 1;
  await report(ada, "open");
  await expect.poll(() => latest(seen), { timeout: 30_000 }).toBe("Ada");
  expect(PRESENCE_MS).toBeLessThanOrEqual(25_000);

  const personal = await startInstance({ script });
  const own = await personal.start();
  const body = { tab: "t", state: "typing" } as const;
  expect(await personal.client.markPresent({ params: { threadId: own }, body })).toEqual({ people: [] });
});
