import { expect, test } from "vitest";
import { call, say, startInstance } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";

test("checks an answer's citations against the artifacts and returns their passages", async () => {
  const text = "Granite is an igneous rock. It is hard and coarse-grained.";
  const { start, send, follow } = await startInstance({
    tools: [
      tool({
        name: "look",
        execute: async (_, context) => ({
          output: context.saveArtifact({ kind: "page", title: "A", type: "text/html", text }).ref,
        }),
      }),
    ],
    script: (_, index) =>
      index === 0
        ? call({ name: "look", input: "{}" })
        : say('It is "an igneous rock" [1]. It is "made of cheese" [1]. See also [7], but `x[1]` is code.'),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "what is granite?");
  await live.ended();
  const part = live
    .view()
    .messages.at(-1)
    ?.parts.find((one) => one.kind === "data");
  expect(part).toMatchObject({ name: "citations" });
  const citations = (part as { value: { ref: number; state: string; span?: [number, number] }[] }).value;
  expect(citations.map(({ ref, state }) => [ref, state])).toEqual([
    [1, "verified"],
    [1, "unverified"],
    [7, "missing"],
  ]);
  expect(text.slice(...(citations[0]?.span ?? [0, 0]))).toBe("an igneous rock");
});

test("checks a cited search result against the page that was read from the same address, and exports one number", async () => {
  const url = "https://rocks.example/granite";
  const page = "Granite is an igneous rock. It is hard and coarse-grained.";
  const save = (kind: "search" | "page", text: string) =>
    tool({
      name: kind === "search" ? "look" : "open",
      execute: async (_, context) => {
        const { ref } = context.saveArtifact({ kind, title: "Granite", url, type: "text/html", text });
        context.addSource({ url, title: "Granite", status: kind === "search" ? "found" : "read", ref });
        return { output: { [kind === "search" ? "results" : "pages"]: [{ url, ref }] } };
      },
    });
  const {
    start,
    send,
    follow,
    url: origin,
  } = await startInstance({
    tools: [save("search", "All about a stone."), save("page", page)],
    script: (_, index) =>
      index === 0
        ? call({ name: "look", input: "{}" })
        : index === 1
          ? call({ name: "open", input: "{}" })
          : say('It is "an igneous rock" [1].'),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "what is granite?");
  await live.ended();
  const part = live
    .view()
    .messages.at(-1)
    ?.parts.find((one) => one.kind === "data");
  expect(part).toMatchObject({ value: [{ ref: 1, state: "verified", copy: 2 }] });
  const [{ span }] = (part as { value: [{ span: [number, number] }] }).value;
  expect(page.slice(...span)).toBe("an igneous rock");
  const answer = await fetch(`${origin}/api/threads/${threadId}/export?format=markdown`);
  const markdown = await answer.text();
  expect(markdown).toContain(`- [1] [Granite](<${url}>)`);
  expect(markdown).not.toContain("[2]");
});

test("a page that an earlier answer read is checked and is a source of the answer that cites it", async () => {
  const url = "https://rocks.example/granite";
  const save = (name: string, kind: "search" | "page", text: string) =>
    tool({
      name,
      execute: async (_, context) => {
        const { ref } = context.saveArtifact({ kind, title: "Granite", url, type: "text/html", text });
        context.addSource({ url, title: "Granite", status: kind === "search" ? "found" : "read", ref });
        return { output: "done" };
      },
    });
  const steps = [
    call({ name: "look", input: "{}" }),
    call({ name: "open", input: "{}" }),
    say("I have read it."),
    say('It is "an igneous rock" [1].'),
  ];
  const instance = await startInstance({
    tools: [save("look", "search", "All about a stone."), save("open", "page", "Granite is an igneous rock.")],
    script: (_, index) => steps[index] ?? say("?"),
  });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "read about granite");
  await live.ended(1);
  await instance.send(threadId, "what is granite?");
  await live.ended(2);
  const parts = live.view().messages.at(-1)?.parts ?? [];
  expect(parts.find((part) => part.kind === "source")).toMatchObject({ url, title: "Granite", ref: 1 });
  expect(parts.find((part) => part.kind === "data")).toMatchObject({ value: [{ ref: 1, state: "verified", copy: 2 }] });
  const answer = await fetch(`${instance.url}/api/threads/${threadId}/export?format=markdown`);
  expect((await answer.text()).split("an igneous rock")[1]).toContain(`- [1] [Granite](<${url}>)`);
});
