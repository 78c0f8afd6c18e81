import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { readConfig } from "../server/config/config.ts";
import { serve } from "../server/serve.ts";
import { createClient } from "../protocol/client.ts";

/** Database bytes for each turn, by table. Usage: node bench/bytes-per-turn.ts [turns] */
const turns = Number(process.argv[2] ?? 100);
const dataDir = mkdtempSync(join(tmpdir(), "stonechat-bytes-"));
const config = readConfig({
  STONECHAT_DATA: dataDir,
  STONECHAT_PORT: "0",
  STONECHAT_SCRIPTED: "1",
  STONECHAT_MODEL: "scripted/script",
  STONECHAT_LOG: "error",
});
const server = await serve(config);
const client = createClient({ baseUrl: server.url });
await client.createThread({ body: { id: "thread", model: "scripted/script" } });
for (let turn = 1; turn <= turns; turn += 1) {
  const text = `say 60 words every 0ms`;
  await client.sendMessage({ params: { threadId: "thread" }, body: { id: `message-${turn}`, text } });
  for (;;) {
    const { messages, run } = await client.getThread({ params: { threadId: "thread" }, query: { limit: "1" } });
    if (run?.state === "ended" && messages.at(-1)?.depth === turn * 2) break;
  }
}
await server.close();
const db = new Database(join(dataDir, "stonechat.db"), { readonly: true });
const rows = db
  .prepare<[], { name: string; bytes: number }>(
    "select name, sum(pgsize) as bytes from dbstat group by name order by bytes desc",
  )
  .all();
const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
for (const { name, bytes } of rows.slice(0, 14))
  console.log(`${String(Math.round(bytes / turns)).padStart(8)}  ${name}`);
console.log(`${String(Math.round(total / turns)).padStart(8)}  bytes per turn, over ${turns} turns`);
db.close();
rmSync(dataDir, { recursive: true, force: true });
