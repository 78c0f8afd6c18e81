import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "../arena.ts";
import { suffixOf, type Contest, type Measuring } from "../contest.ts";
import { findFreePort } from "../../test/support/free-port.ts";

/** Time from `npm start` to the first answered request, with everything installed and an existing database. */
export const start: Measuring = { ids: ["start."], run };

const root = join(import.meta.dirname, "../..");
const GIVE_UP_MS = 60_000;

async function run({ arena, series, repeats, databases, say }: Contest): Promise<void> {
  for (const database of databases) {
    const place = await arena.createPlace(database);
    await startOnce(place);
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      series.add(`start.seconds${suffixOf(database)}`, "s", await startOnce(place));
      say(`start ${repeat + 1} of ${repeats}`);
    }
  }
}

async function startOnce(place: Place): Promise<number> {
  const port = await findFreePort();
  const startedAt = performance.now();
  const child = spawn("npm", ["start"], {
    cwd: root,
    stdio: "ignore",
    // A separate process group, so that npm, the launcher and the server are ended together.
    detached: true,
    env: {
      ...process.env,
      STONECHAT_PORT: String(port),
      STONECHAT_DATA: place.directory,
      STONECHAT_DATABASE_URL: place.databaseUrl,
    },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    while (!(await isServing(port))) {
      if (performance.now() - startedAt > GIVE_UP_MS || child.exitCode !== null)
        throw new Error("npm start did not become ready.");
      await sleep(5);
    }
    return (performance.now() - startedAt) / 1000;
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  }
}

const isServing = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`).then(
    (response) => response.ok,
    () => false,
  );
