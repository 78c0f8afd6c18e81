import { expect, test, vi } from "vitest";
import { ResponseError } from "../../protocol/client.ts";
import { emptyThreadView } from "../../protocol/fold.ts";
import { createOutbox } from "./outbox.ts";
import { keepInMemory } from "../lib/memory-storage.ts";

type Call = { readonly name: string; readonly id: string; readonly text?: string };

/** One outcome per request, in order; later requests are accepted. */
function createServer(...outcomes: (Error | null)[]) {
  const calls: Call[] = [];
  const take = () => {
    const outcome = outcomes.shift();
    if (outcome) throw outcome;
  };
  return {
    calls,
    client: {
      createProject: async ({ body }: { body: { id: string } }) => {
        calls.push({ name: "project", id: body.id });
        take();
        return {} as never;
      },
      createThread: async ({ body }: { body: { id: string } }) => {
        calls.push({ name: "create", id: body.id });
        take();
        return {} as never;
      },
      sendMessage: async ({ body }: { body: { id: string; text: string } }) => {
        calls.push({ name: "send", id: body.id, text: body.text });
        take();
        return { id: body.id, seq: 7 };
      },
    },
  };
}

function createTestOutbox(server: ReturnType<typeof createServer>, storage = keepInMemory()) {
  const onCreated = vi.fn();
  const onSignedOut = vi.fn();
  return {
    outbox: createOutbox({ client: server.client, storage, onCreated, onSignedOut }),
    onCreated,
    onSignedOut,
    storage,
  };
}

const message = { threadId: "t", text: "hello", mode: "queue", create: null } as const;
const offline = () => new TypeError("no network");
const namesOf = (outbox: ReturnType<typeof createOutbox>) => outbox.items.get().map((item) => item.state.name);

test("retries a failed message with the same id", async () => {
  const server = createServer(offline(), null);
  const { outbox } = createTestOutbox(server);
  const id = outbox.send(message);
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["failed"]));
  outbox.retry(id);
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["accepted"]));
  expect(server.calls).toEqual([
    { name: "send", id, text: "hello" },
    { name: "send", id, text: "hello" },
  ]);
});

test("creates a new thread once, before its first message", async () => {
  const server = createServer(null, offline(), null);
  const { outbox, onCreated } = createTestOutbox(server);
  const id = outbox.send({ ...message, create: { model: "m" } });
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["failed"]));
  expect(onCreated).toHaveBeenCalledExactlyOnceWith("t");
  outbox.retry(id);
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["accepted"]));
  expect(server.calls.map(({ name }) => name)).toEqual(["create", "send", "send"]);
});

test("sends the messages of a thread one at a time, after its creation", async () => {
  const server = createServer();
  const { outbox } = createTestOutbox(server);
  outbox.send({ ...message, text: "one", create: { model: "m" } });
  outbox.send({ ...message, text: "two" });
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["accepted", "accepted"]));
  expect(server.calls.map(({ name, text }) => text ?? name)).toEqual(["create", "one", "two"]);
});

test("creates the thread with the next message if the first one is discarded", async () => {
  const server = createServer(offline(), offline());
  const { outbox } = createTestOutbox(server);
  const project = { id: "p", name: "Project" };
  const first = outbox.send({ ...message, text: "one", create: { model: "m" }, project });
  const second = outbox.send({ ...message, text: "two" });
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["failed", "failed"]));
  server.calls.length = 0;
  outbox.discard(first);
  outbox.retry(second);
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["accepted"]));
  expect(server.calls.map(({ name, text }) => text ?? name)).toEqual(["project", "create", "two"]);
});

test("offers messages of a closed page again, with their ids", async () => {
  const { outbox, storage } = createTestOutbox(createServer(offline()));
  const id = outbox.send(message);
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["failed"]));
  const server = createServer();
  const next = createTestOutbox(server, storage).outbox;
  next.retryAll();
  await vi.waitFor(() => expect(namesOf(next)).toEqual(["accepted"]));
  expect(server.calls).toEqual([{ name: "send", id, text: "hello" }]);
  expect(createTestOutbox(createServer(), storage).outbox.items.get()).toEqual([]);
});

test("does not retry a rejected message automatically", async () => {
  const server = createServer(new ResponseError(413, "too-large", "That is too long."));
  const { outbox } = createTestOutbox(server);
  outbox.send(message);
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["failed"]));
  outbox.retryAll();
  expect(server.calls).toHaveLength(1);
  expect(outbox.items.get()[0]?.state).toEqual({ name: "failed", text: "That is too long.", again: false });
});

test("removes a message once its thread shows it", async () => {
  const { outbox } = createTestOutbox(createServer());
  const id = outbox.send(message);
  outbox.settle("t", {
    ...emptyThreadView,
    queue: [{ id, kind: "message", mode: "queue", text: "hello", createdAt: 0 }],
  });
  expect(outbox.items.get()).toEqual([]);
});

test("removes an accepted message once the thread has passed its seq", async () => {
  const { outbox } = createTestOutbox(createServer());
  outbox.send(message);
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["accepted"]));
  outbox.settle("t", { ...emptyThreadView, seq: 6 });
  expect(namesOf(outbox)).toEqual(["accepted"]);
  outbox.settle("t", { ...emptyThreadView, seq: 7 });
  expect(outbox.items.get()).toEqual([]);
});

test("reports a lost session and keeps the message", async () => {
  const { outbox, onSignedOut, storage } = createTestOutbox(
    createServer(new ResponseError(401, "unauthenticated", "no")),
  );
  outbox.send(message);
  await vi.waitFor(() => expect(onSignedOut).toHaveBeenCalledOnce());
  expect(createTestOutbox(createServer(), storage).outbox.items.get()).toHaveLength(1);
});

test("keeps the unsent messages of several tabs", async () => {
  const storage = keepInMemory();
  const one = createTestOutbox(createServer(offline()), storage).outbox;
  const other = createTestOutbox(createServer(), storage).outbox;
  const id = one.send(message);
  await vi.waitFor(() => expect(namesOf(one)).toEqual(["failed"]));
  other.send({ ...message, text: "from the other" });
  await vi.waitFor(() => expect(namesOf(other)).toEqual(["accepted"]));
  expect(createTestOutbox(createServer(), storage).outbox.items.get()).toMatchObject([{ id, text: "hello" }]);
});

test("does not send a message that another tab discarded", async () => {
  const storage = keepInMemory();
  const one = createTestOutbox(createServer(offline()), storage).outbox;
  const id = one.send(message);
  await vi.waitFor(() => expect(namesOf(one)).toEqual(["failed"]));
  const server = createServer();
  const other = createTestOutbox(server, storage).outbox;
  one.discard(id);
  other.retryAll();
  expect(other.items.get()).toEqual([]);
  expect(server.calls).toEqual([]);
});

test("creates a thread's project before the thread, with the same id when it is retried", async () => {
  const server = createServer(null, offline());
  const { outbox } = createTestOutbox(server);
  const project = { id: "p", name: "Tides" };
  const id = outbox.send({ ...message, create: { profile: "builder", projectId: "p" }, project });
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["failed"]));
  outbox.retry(id);
  await vi.waitFor(() => expect(namesOf(outbox)).toEqual(["accepted"]));
  expect(server.calls.map(({ name, id }) => `${name} ${id}`)).toEqual([
    "project p",
    "create t",
    "project p",
    "create t",
    `send ${id}`,
  ]);
});
