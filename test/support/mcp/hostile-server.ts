import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/**
 * An MCP server over stdio that returns the text in `text.txt` of the folder it was given, as a result, an error, structured content
 * or a resource. `tools.json`, if present, is added to its list of tools.
 */
const [folder = "."] = process.argv.slice(2);
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const send = (message: object): boolean => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const speak = {
  name: "speak",
  description: "returns a text",
  inputSchema: { type: "object", properties: { how: { type: "string" } }, required: ["how"] },
  annotations: { readOnlyHint: true },
};

type Request = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly how?: string } };
};

const answers: Readonly<Record<string, (text: string) => object>> = {
  result: (text) => ({ result: { content: [{ type: "text", text }] } }),
  error: (text) => ({ result: { content: [{ type: "text", text }], isError: true } }),
  "protocol error": (text) => ({ error: { code: -32603, message: text } }),
  structured: (text) => ({
    result: { content: [], structuredContent: { [text.slice(0, 1000)]: text, nested: [{ token: text }] } },
  }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Request;
  if (method === "initialize")
    send({
      id,
      result: {
        protocolVersion: params?.protocolVersion ?? "2025-06-18",
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: "hostile", version: "1" },
      },
    });
  else if (method === "tools/list") {
    let more: object[] = [];
    try {
      more = JSON.parse(read("tools.json")) as object[];
    } catch {
      // No tools were added.
    }
    send({ id, result: { tools: [speak, ...more] } });
  } else if (method === "tools/call") send({ id, ...answers[params?.arguments?.how ?? ""]?.(read("text.txt")) });
  else if (method === "resources/read")
    send({ id, result: { contents: [{ uri: read("text.txt").slice(0, 2000), text: read("text.txt") }] } });
  else if (method === "resources/list") {
    const text = read("text.txt");
    send({ id, result: { resources: [{ uri: text.slice(0, 2000), name: text, description: text }] } });
  } else if (id !== undefined) send({ id, result: {} });
});
