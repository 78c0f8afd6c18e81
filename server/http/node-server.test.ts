import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { createNodeServer, listen } from "./node-server.ts";

const quiet = (): void => {};
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** The bytes that a client reads after an error on its connection. */
async function readAfterError(sent: string): Promise<string> {
  const server = createNodeServer({ listener: quiet, newId: () => "r", logger });
  onTestFinished(() => void server.close());
  const port = await listen(server, "127.0.0.1", 0);
  const accepted = once(server, "connection");
  const client = connect(port, "127.0.0.1");
  client.setEncoding("utf8");
  let read = "";
  client.on("data", (text: string) => (read += text));
  const [socket] = (await accepted) as [Socket];
  if (sent !== "") {
    client.write(sent);
    await once(socket, "data");
  }
  server.emit("clientError", Object.assign(new Error("timed out"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);
  await once(client, "close");
  return read;
}

test("a connection that was opened in advance and never used is closed without a response", async () => {
  expect(await readAfterError("")).toBe("");
});

test("an incomplete request gets an error response", async () => {
  expect(await readAfterError("GET / HT")).toMatch(/^HTTP\/1\.1 400 .*"code":"invalid"/s);
});
