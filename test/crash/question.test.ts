import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer } from "../support/server-process.ts";
import { query } from "../support/server/database.ts";
import { openThreadClient } from "../support/server/thread-client.ts";

describe.each(["SQLite", "PostgreSQL"])("a question of the model, on %s", (kind) => {
  test("survives kill -9 while it waits and after the answer, and is answered once", async () => {
    const databaseUrl = kind === "PostgreSQL" ? await createDatabase() : undefined;
    const env = { STONECHAT_LEASE_MS: "500" };
    const server = await startServer({ spare: true, env, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    try {
      const chat = await openThreadClient(server);
      const input = JSON.stringify({ question: "Which colour?", options: ["Red", "Green"] });
      const asked = await chat.send(`say one then call ask_user ${input} then say results`);
      await chat.follower.until(({ run }) => run?.state === "waiting");
      await server.kill();
      await server.restart();
      const { messages, run } = await server.client.getThread({ params: { threadId: chat.threadId } });
      expect(run?.state).toBe("waiting");
      const part = messages.at(-1)?.parts.find((one) => one.kind === "tool");
      expect(part).toMatchObject({ state: "asking", asks: { code: "question" } });
      const body = { id: randomUUID(), partId: part?.id ?? "", answers: { answer: "Blue" } };
      await server.client.answerQuestion({ params: { threadId: chat.threadId }, body });
      await server.kill();
      await server.restart();
      await server.client.answerQuestion({ params: { threadId: chat.threadId }, body });
      const { run: ended, message } = await chat.answered(asked);
      expect(ended.outcome).toBe("done");
      expect(textOf(message.parts)).toContain("Blue");
      const rows = await query(server, "select decision, word from decisions");
      expect(rows).toEqual([{ decision: "answer", word: '{"answer":"Blue"}' }]);
      chat.close();
    } finally {
      await server.close();
    }
  });
});
