import { expect, test } from "vitest";
import { call, say, startInstance } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";

test("stores a tool's artifacts and sources in the thread, each URL once", async () => {
  const look = tool({
    name: "look",
    untrusted: true,
    execute: async (input, context) => {
      const { q = "" } = input as { q?: string };
      context.addSource({ url: "https://a.example/", title: "A", status: "found", relevance: 0.9 });
      if (q === "read") {
        const { ref } = context.saveArtifact({
          kind: "page",
          title: "A",
          url: "https://a.example/",
          type: "text/html",
          text: "granite",
        });
        context.addSource({ url: "https://a.example/", status: "read", ref });
      }
      return { output: q };
    },
  });
  const { start, send, follow, client } = await startInstance({
    tools: [look],
    script: (_, index) =>
      index < 3
        ? call({ name: "look", input: ["{}", '{"q":"read"}', '{"q":"again"}'][index] ?? "" })
        : say("granite [1]"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "what?");
  await live.ended();
  const sources = live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "source"));
  expect(sources).toMatchObject([{ url: "https://a.example/", title: "A", status: "read", relevance: 0.9, ref: 1 }]);
  const artifact = await client.getArtifact({ params: { threadId, ref: 1 } });
  expect(artifact).toMatchObject({ id: sources[0]?.artifactId, text: "granite", url: "https://a.example/" });
});
