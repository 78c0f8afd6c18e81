import { threadId } from "node:worker_threads";
import { serveWorker } from "../../../server/lib/worker-thread.ts";

serveWorker((command: string) => {
  if (command === "end") process.exit(0);
  if (command === "refuse") throw Object.assign(new Error("no such page"), { code: "SQLITE_CORRUPT" });
  return { echo: command, threadId };
});
