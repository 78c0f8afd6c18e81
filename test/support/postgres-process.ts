import { spawn } from "node:child_process";
import { join } from "node:path";
import type { FromKeeper, KeeperOrder, ToKeeper } from "./postgres-keeper.ts";

export type PostgresProcess = {
  readonly pid: () => number | undefined;
  readonly start: () => Promise<void>;
  readonly stop: (signal: NodeJS.Signals) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The parent's side of `postgres-keeper.ts`. It keeps the test process alive only while a caller is waiting. */
export function createPostgresProcess(order: KeeperOrder): PostgresProcess {
  const keeper = spawn(process.execPath, [join(import.meta.dirname, "postgres-keeper.ts")], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    detached: true,
  });
  keeper.unref();
  keeper.channel?.unref();
  let pid: number | undefined;
  keeper.on("message", (message: FromKeeper) => (pid = message.kind === "ready" ? message.pid : undefined));

  const next = async (order: ToKeeper): Promise<FromKeeper> => {
    keeper.channel?.ref();
    const { promise, resolve, reject } = Promise.withResolvers<FromKeeper>();
    const gone = () => reject(new Error("The PostgreSQL keeper process exited."));
    keeper.once("message", resolve).once("exit", gone);
    keeper.send(order);
    try {
      return await promise;
    } finally {
      keeper.off("message", resolve).off("exit", gone);
      keeper.channel?.unref();
    }
  };

  return {
    pid: () => pid,
    start: async () => {
      const answer = await next({ start: order });
      if (answer.kind === "ended") throw new Error(`PostgreSQL did not start:\n${answer.log}`);
    },
    stop: async (signal) => {
      if (pid !== undefined) await next({ signal });
    },
    close: async () => {
      if (!keeper.connected) return;
      keeper.ref();
      const ended = new Promise((resolve) => keeper.once("exit", resolve));
      keeper.disconnect();
      await ended;
    },
  };
}
