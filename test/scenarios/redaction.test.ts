import { expect, test } from "vitest";
import { call, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

test("redacts secrets in a result for the model and the database; the owner can reveal them", async () => {
  const secret = "sk-proj-Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk8Lz0Xc3Vb5Nm";
  const prompts: string[] = [];
  const { start, send, follow, client, server } = await startInstance({
    tools: [
      tool({
        name: "leak",
        execute: async (_, context) => {
          context.saveArtifact({
            kind: "result",
            title: "Settings",
            type: "text/plain",
            text: `OPENAI_API_KEY=${secret}`,
          });
          return { output: { api_key: secret, text: `the key is ${secret} indeed` } };
        },
      }),
    ],
    script: (request, index) => {
      prompts.push(JSON.stringify(request));
      return index === 0 ? call({ name: "leak", input: "{}" }) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(prompts.join()).not.toContain(secret);
  expect(JSON.stringify(live.rows)).not.toContain(secret);
  const artifact = await client.getArtifact({ params: { threadId, ref: 1 } });
  expect(artifact.text).not.toContain(secret);
  const [part] = toolParts(live);
  expect(part?.redacted).toBeGreaterThan(0);
  const [row] = await server.store.read.hiddenValues(threadId);
  expect(row?.sealed).not.toContain(secret);
  const { value } = await client.revealValue({ params: { threadId }, body: { placeholder: row?.placeholder ?? "" } });
  expect(value).toBe(secret);
});
