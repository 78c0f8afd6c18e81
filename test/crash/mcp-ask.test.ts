import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { startNodes } from "./nodes/two-nodes.ts";

const WORDS = 60;
const input = { question: `say ${WORDS} words every 40ms`, id: "durable" };
const answer = Array.from({ length: WORDS }, (_, n) => `w${n + 1}`).join(" ");

type AskCall = { readonly progress: string[]; readonly result: Promise<Record<string, unknown> | undefined> };

/** The official client, one per call, as after a restart of the caller. */
async function connect({ url }: Pick<ServerProcess, "url">): Promise<Client> {
  const client = new Client({ name: "tester", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  onTestFinished(() => client.close());
  return client;
}

function ask(client: Client): AskCall {
  const progress: string[] = [];
  const options = {
    timeout: 60_000,
    onprogress: ({ message = "" }: { message?: string | undefined }) => void progress.push(message),
  };
  const result = client
    .callTool({ name: "ask", arguments: input }, options)
    .then(({ structuredContent }) => structuredContent as Record<string, unknown> | undefined);
  result.catch(() => {});
  return { progress, result };
}

const isWriting = ({ progress }: AskCall) => progress.some((text) => text.startsWith("Writing"));

const countQuestions = async ({ client }: ServerProcess): Promise<readonly number[]> =>
  (await client.listThreads({ params: {} })).threads.map(({ messageCount }) => messageCount);

test("after kill -9 in the middle of an answer, the same call returns the whole answer of the same run", async () => {
  const server = await startServer();
  onTestFinished(server.close);
  const first = ask(await connect(server));
  await expect.poll(() => isWriting(first)).toBe(true);
  await server.kill();
  await server.restart();
  const second = ask(await connect(server));
  expect(await second.result).toMatchObject({ status: "done", answer, thread_id: "ask-durable" });
  expect(await countQuestions(server)).toEqual([2]);
});

describe.skipIf(!findPostgres())("two nodes on one PostgreSQL", () => {
  test("an answer that one node began is returned by the other, while both run and after the first was killed", async () => {
    const nodes = await startNodes(await createDatabase());
    onTestFinished(nodes.close);
    const [first, second] = nodes.all;
    // Both connect first: on a busy machine that takes longer than the answer.
    const [caller, other] = [await connect(first), await connect(second)];
    const here = ask(caller);
    await expect.poll(() => isWriting(here)).toBe(true);
    const there = ask(other);
    await expect.poll(() => isWriting(there)).toBe(true);
    await first.kill();
    expect(await there.result).toMatchObject({ status: "done", answer });
    expect(await countQuestions(second)).toEqual([2]);
  });
});
