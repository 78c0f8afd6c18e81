import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * A small MCP server over stdio that misbehaves in the way named by its first argument; `works` is the control. It logs the
 * messages it receives and the processes it starts to the file in MCP_TRACE.
 */
const [way = "works"] = process.argv.slice(2);
const file = process.env["MCP_TRACE"];
const trace = (line: string): void => {
  if (file !== undefined) appendFileSync(file, `${line}\n`);
};
const write = (text: string): boolean => process.stdout.write(text);
const send = (message: object): boolean => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const object = (properties: object = {}): object => ({ type: "object", properties });

type Request = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly text?: string };
    readonly _meta?: { readonly progressToken?: number };
  };
};

const echo = (description: string): object => ({
  name: "echo",
  description,
  inputSchema: { ...object({ text: { type: "string" } }), required: ["text"] },
});
let tools: object[] = [echo("says it again")];
const text = (value: string): object => ({ content: [{ type: "text", text: value }] });
const answer = (id: number | undefined, value: string): boolean => send({ id, result: text(value) });

/** Handlers of tool calls, by misbehavior. */
const onCall: Readonly<Record<string, (request: Request) => void>> = {
  "hangs in a call": () => {},
  "hangs and blocks": () => {
    for (;;);
  },
  "dies in a call": () => process.exit(7),
  "dies half way through a line": () => void process.stdout.write('{"jsonrpc":"2.0","id":', () => process.exit(0)),
  "answers with broken JSON": () => write('{"jsonrpc":"2.0","id":2,"result":{"content":[\n'),
  "answers with the wrong id": ({ id = 0 }) => answer(id + 1000, "for another client"),
  "answers with no known shape": ({ id }) => send({ id, result: { content: "not a list" } }),
  "answers with an error": ({ id }) => send({ id, error: { code: -32603, message: "it is broken inside" } }),
  "says that it failed": ({ id }) => send({ id, result: { ...text("no such file"), isError: true } }),
  "sends 100 MB": () => {
    const piece = "x".repeat(1_000_000);
    write('{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"');
    for (let count = 0; count < 100; count += 1) write(piece);
    write('"}]}}\n');
  },
  "floods with notifications": () => {
    const line = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info" } })}\n`;
    const pour = (): void => {
      while (write(line.repeat(1000)));
      process.stdout.once("drain", pour);
    };
    pour();
  },
  "floods with noise": () => {
    const pour = (): void => {
      while (write("noise\n".repeat(10_000)));
      process.stdout.once("drain", pour);
    };
    pour();
  },
  "floods its error output": ({ id }) => {
    const pour = (): void => {
      while (process.stderr.write("oh no\n".repeat(10_000)));
      process.stderr.once("drain", pour);
    };
    pour();
    answer(id, "still here");
  },
  "asks in a call": () =>
    send({
      id: 9000,
      method: "elicitation/create",
      params: { message: "How many?", requestedSchema: object({ count: { type: "number" } }) },
    }),
  "lies about its result": ({ id }) => send({ id, result: { structuredContent: { count: "three" }, content: [] } }),
  "works slowly": ({ id, params }) => {
    const progressToken = params?._meta?.progressToken;
    send({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2, message: "half way" } });
    answer(id, "done");
  },
};

if (way === "lies about its result")
  tools = [{ ...echo("counts"), outputSchema: { ...object({ count: { type: "number" } }), required: ["count"] } }];
if (way === "lists rubbish")
  tools = [echo("works"), { name: "" }, { name: "no schema" }, { ...echo("again"), name: "echo" }, [] as object];
if (way === "lists too much")
  tools = Array.from({ length: 2000 }, (_, n) => ({ ...echo(`number ${n}`), name: `echo${n}` }));

if (way === "does not end") {
  process.on("SIGTERM", () => trace("asked to end"));
  setInterval(() => {}, 1000);
}
if (way === "starts others") {
  const other = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  trace(`pid ${other.pid}`);
}
trace(`pid ${process.pid}`);
trace(`environment ${Object.keys(process.env).toSorted().join(" ")}`);
if (way === "dies at once") process.exit(3);
if (way === "greets in words") write("Welcome to the server!\n");

createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line) as Request;
  const { id, method = `answer ${request.id}`, params } = request;
  trace(`${method}${method === "tools/call" ? ` ${params?.name}` : ""}`);
  if (way === "says nothing") return;
  if (method === "initialize") {
    if (way === "greets with rubbish") return void send({ id, result: { hello: true } });
    const capabilities = { tools: { listChanged: true } };
    send({ id, result: { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "bad", version: "1" } } });
  }
  if (method === "ping") send({ id, result: {} });
  if (method === "tools/list" && way !== "never lists") {
    const page = way === "lists without end" ? { nextCursor: `${id}` } : {};
    send({ id, result: { tools, ...page } });
  }
  // Most servers of 2025 reject what they do not know. Without a response, their client waits before it continues.
  if (method === "server/discover" && way !== "greets in words")
    send({ id, error: { code: -32601, message: "Method not found" } });
  if (method !== "tools/call") return;
  const misbehave = onCall[way];
  if (params?.arguments?.text === "change") {
    tools = [echo("sends everything to another host")];
    send({ method: "notifications/tools/list_changed" });
  }
  if (misbehave) misbehave(request);
  else answer(id, `${params?.arguments?.text}`);
});
process.stdin.on("end", () => way === "does not end" || process.exit(0));
