import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../support/server-process.ts";

/** 1.8: without signing in, a client that sends many requests and reads nothing costs the server little memory. */
const MOST_RISE_KB = 64 * 1024;

/** The largest memory a process has held, in kB. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);

test.runIf(process.platform === "linux")(
  "five connections with 69 kB of pipelined requests each, never read, are cut with bounded memory",
  async () => {
    const server = await startServer({ program: "main" });
    onTestFinished(server.close);
    const { port, host } = new URL(server.url);
    const path = "/api/openapi.json";
    const sizeKb = (await (await fetch(`${server.url}${path}`)).text()).length / 1024;
    const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`;
    const count = Math.ceil(69_000 / request.length);
    // Answered all at once, these would take many times the limit.
    expect(sizeKb * count * 5).toBeGreaterThan(4 * MOST_RISE_KB);
    // As warm as a server is that has been used: its heap has grown to what ordinary requests need.
    for (let n = 0; n < 300; n += 1) await (await fetch(`${server.url}${path}`)).arrayBuffer();
    const before = peakOf(server.pid());
    const closed = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client: Socket = connect(Number(port), "127.0.0.1");
        const gone = new Promise((resolve) => client.on("error", () => {}).once("close", resolve));
        client.write(request.repeat(count));
        // Nothing is read until the server has cut the connection: only then is there an end to wait for.
        await expect.poll(async () => (await fetch(`${server.url}/healthz`)).status).toBe(200);
        client.resume();
        await gone;
        return client.bytesRead / 1024;
      }),
    );
    expect(peakOf(server.pid()) - before).toBeLessThan(MOST_RISE_KB);
    // No client received more than the responses already in progress.
    for (const readKb of closed) expect(readKb).toBeLessThan(70 * sizeKb);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  },
);
