import { threadId } from "node:worker_threads";
import { answerThread } from "../../../server/lib/thread.ts";

answerThread((told: string) => {
  if (told === "end") process.exit(0);
  if (told === "refuse") throw Object.assign(new Error("no such page"), { code: "SQLITE_CORRUPT" });
  return { told, threadId };
});
