import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createClient, ResponseError } from "../../protocol/client.ts";
import { textOf } from "../../protocol/fold.ts";
import { findFreePort } from "../support/free-port.ts";
import { onSmallDisk, whyNoSmallDisk } from "../support/process/small-disk.ts";
import { withCompileCache } from "../support/server/child.ts";
import { createFolder } from "../support/server/run-command.ts";
import { openThreadClient } from "../support/server/thread-client.ts";
import { until } from "../support/server/until.ts";

const main = join(import.meta.dirname, "../../server/main.ts");
const [FILLER_BYTES, REFUSED] = [4_000_000, 3];

/** `npm start` with a data folder of 16 MB that only its process sees. */
async function startOnSmallDisk() {
  const dataDir = createFolder();
  const port = await findFreePort();
  const [program = "", ...args] = onSmallDisk(dataDir, "16m", [process.execPath, main]);
  const child = spawn(program, args, {
    env: {
      PATH: process.env["PATH"],
      ...withCompileCache,
      STONECHAT_PORT: String(port),
      STONECHAT_DATA: dataDir,
      STONECHAT_SCRIPTED: "1",
      STONECHAT_MODEL: "scripted/script",
      STONECHAT_LOG: "error",
      STONECHAT_TITLES: "off",
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => text.includes("Stonechat is ready") && resolve());
    void exited.then(() => reject(new Error(`The server exited before it was ready.\n${output}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    client: createClient({ baseUrl: url }),
    /** A file on the small disk, as seen from here. */
    place: (name: string) => join("/proc", String(child.pid), "root", dataDir, name),
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

test("on a full disk the server answers 507 and serves reads, and continues without a restart when there is space", async ({
  skip,
}) => {
  const obstacle = whyNoSmallDisk();
  skip(obstacle !== undefined, obstacle);
  const server = await startOnSmallDisk();
  const filler = server.place("filler");
  writeFileSync(filler, Buffer.alloc(FILLER_BYTES));
  const live = await openThreadClient(server);
  onTestFinished(() => live.close());
  const asked = await live.send("say 1000 words every 5ms");
  await live.follower.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []).includes("w5 "));

  const acknowledged = new Map<string, string>();
  const refused: ResponseError[] = [];
  await until("the disk is full", async () => {
    const [threadId, id] = [randomUUID(), randomUUID()];
    const body = { id, text: `say ${"much ".repeat(8_000)}` };
    await server.client
      .createThread({ body: { id: threadId, model: "scripted/script" } })
      .then(() => server.client.sendMessage({ params: { threadId }, body }))
      .then(
        () => void acknowledged.set(threadId, id),
        (error: unknown) => {
          if (!(error instanceof ResponseError)) throw error;
          refused.push(error);
        },
      );
    return refused.length === REFUSED;
  });
  expect(acknowledged.size).toBeGreaterThan(5);
  for (const { status, code, message } of refused) {
    expect({ status, code }).toEqual({ status: 507, code: "storage-full" });
    expect(message).toContain("The disk is full. Free some space and try again.");
  }
  const get = async (path: string) => {
    const response = await fetch(server.url + path);
    return { status: response.status, text: await response.text() };
  };
  for (const path of ["/api/threads", "/healthz", ...[...acknowledged.keys()].map((id) => `/api/threads/${id}`)])
    expect(await get(path)).toMatchObject({ status: 200 });
  expect(await get("/readyz")).toMatchObject({
    status: 503,
    text: expect.stringContaining("The disk is full") as string,
  });

  expect(live.follower.view().run).toMatchObject({ outcome: null });
  rmSync(filler);
  await until("the server is ready", async () => (await get("/readyz")).status === 200);
  // The answer in progress ends, with its whole text.
  const { message, run } = await live.answered(asked);
  expect({ outcome: run.outcome, end: textOf(message.parts).slice(-10) }).toEqual({
    outcome: "done",
    end: "w999 w1000",
  });
  const later = await live.answered(await live.send("say it works"));
  expect(textOf(later.message.parts)).toBe("it works");
  for (const [threadId, id] of acknowledged) {
    await until("its answer has ended", async () => {
      const { thread } = await server.client.getThread({ params: { threadId } });
      return thread.status === "idle";
    });
    const { messages } = await server.client.getThread({ params: { threadId } });
    expect(messages.map((one) => one.role)).toEqual(["user", "assistant"]);
    expect(messages[0]?.id).toBe(id);
  }
  console.log(`disk full: ${acknowledged.size} messages acknowledged, ${refused.length} refused with 507`);
  expect(await server.stop()).toEqual([0, null]);
});
