import { expect, test } from "vitest";
import type { Response } from "../../../protocol/api.ts";
import { ResponseError } from "../../../protocol/client.ts";
import type { EventOf } from "../../../protocol/events.ts";
import type { FollowOptions } from "../../api/follow.ts";
import { createProjectFeed } from "./project-feed.ts";

const answer = (seq: number): Response<"getProject"> => ({
  project: {
    id: "p",
    name: "Garden",
    description: "",
    instructions: "",
    archived: false,
    version: 1,
    seq,
    createdAt: 1,
    updatedAt: 1,
  },
  counts: [],
  files: 0,
});

type Touch = EventOf<"project-acted">["touched"][number];
const acted = (...touched: readonly Touch[]): EventOf<"project-acted"> => ({
  type: "project-acted",
  act: {
    id: "a",
    projectId: "p",
    author: { by: "person", threadId: null, runId: null },
    text: "Did it",
    undone: false,
    undoes: null,
    createdAt: 1,
  },
  touched: [...touched],
});

function open(getProject: () => Promise<Response<"getProject">>) {
  const links: FollowOptions[] = [];
  let closed = 0;
  const feed = createProjectFeed({
    projectId: "p",
    client: { getProject },
    follow: (options) => {
      links.push(options);
      return { wake: () => undefined, pause: () => undefined, close: () => (closed += 1) };
    },
    onSignedOut: () => undefined,
    schedule: (run) => {
      queueMicrotask(run);
      return () => undefined;
    },
  });
  return { feed, links, closed: () => closed };
}

const settle = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

test("follows the stream from the snapshot's seq and resumes after the last event", async () => {
  const { feed, links } = open(async () => answer(7));
  feed.open();
  await settle();
  expect(feed.state.get()).toMatchObject({ phase: "ready", project: { name: "Garden" } });
  expect(links[0]?.toUrl()).toBe("/api/projects/p/stream?after=7");
  links[0]?.onEvent({ seq: 9, event: acted({ what: "entity", id: "e1" }) });
  expect(links[0]?.toUrl()).toBe("/api/projects/p/stream?after=9");
});

test("combines acts that arrive together, with the ends of their edges", async () => {
  const { feed, links } = open(async () => answer(1));
  feed.open();
  await settle();
  let signs = 0;
  feed.touched.subscribe(() => (signs += 1));
  links[0]?.onEvent({ seq: 2, event: acted({ what: "entity", id: "e1" }) });
  links[0]?.onEvent({ seq: 3, event: acted({ what: "edge", id: "e2 blocks e3" }) });
  await settle();
  expect(signs).toBe(1);
  expect([...(feed.touched.get().ids ?? [])]).toEqual(["e1", "e2 blocks e3", "e2", "blocks", "e3"]);
  expect([...feed.touched.get().whats]).toEqual(["entity", "edge"]);
});

test("treats a very large act as a change of anything", async () => {
  const { feed, links } = open(async () => answer(1));
  feed.open();
  await settle();
  const many = Array.from({ length: 500 }, (_, index): Touch => ({ what: "entity", id: `e${index}` }));
  links[0]?.onEvent({ seq: 2, event: acted(...many) });
  await settle();
  expect(feed.touched.get().ids).toBeNull();
});

test("closes the connection with its last user and reports a missing project", async () => {
  const { feed, closed } = open(async () => answer(1));
  const [first, second] = [feed.open(), feed.open()];
  await settle();
  first();
  expect(closed()).toBe(0);
  second();
  expect(closed()).toBe(1);
  const missing = open(() => Promise.reject(new ResponseError(404, "not-found", "no")));
  missing.feed.open();
  await settle();
  expect(missing.feed.state.get()).toEqual({ phase: "gone" });
});
