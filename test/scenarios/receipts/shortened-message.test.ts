import { expect, test } from "vitest";
import type { ModelRequest } from "../../../protocol/model.ts";
import { call, mintId, say, startInstance } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";

const LONG = `Begin. ${"The lantern at the north berth was lit again. ".repeat(1_500)}End.`;

test.each(["stone", "messages", "summary", "snapshot", "replay", "transcript"] as const)(
  "%s: an answer says once that the user's message did not fit, and the next answer does not",
  async (policy) => {
    const requests: ModelRequest[] = [];
    const { client, start, send, follow } = await startInstance({
      tools: [tool({ name: "look", execute: async () => ({ output: "seven" }) })],
      script: Object.assign(
        (request: ModelRequest) => {
          requests.push(request);
          return requests.length === 1 ? call({ name: "look", input: "{}" }) : say("Noted.");
        },
        { windowOf: () => 8_000 },
      ),
    });
    const threadId = await start();
    const params = { threadId };
    await client.changeThread({ params, body: { id: mintId(), policy } });
    const live = follow(threadId);
    const noticesOf = async () => {
      const answer = (await client.getThread({ params })).messages.at(-1)!;
      return answer.parts.flatMap((part) =>
        part.kind === "notice" && part.code === "message-shortened" ? [part] : [],
      );
    };
    await send(threadId, LONG);
    await live.ended(1);
    expect(requests).toHaveLength(2);
    for (const { messages } of requests) {
      expect(JSON.stringify(messages)).toMatch(/Begin\. .* characters left out .*End\./);
    }
    const notices = await noticesOf();
    expect(notices).toMatchObject([{ level: "warning", text: expect.stringMatching(/of 15,\d+ tokens is too long/) }]);
    expect(notices[0]!.text).toContain("context window of 8,000 tokens");
    await send(threadId, "And now?");
    await live.ended(2);
    expect(await noticesOf()).toEqual([]);
  },
);
