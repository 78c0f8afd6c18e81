import { readFileSync } from "node:fs";
import type { Batch } from "../../../server/store/contract.ts";
import { createTransact } from "../../../server/store/sqlite/transact.ts";
import { openConnection, type Connection } from "../../../server/store/sqlite/connection.ts";

/**
 * Commits a batch, read from a file, and kills itself before the nth statement. 0: does not kill itself. `loose`: without a
 * transaction, for the control.
 */
const [file = "", batchFile = "", nth = "0", loose] = process.argv.slice(2);
const batch = JSON.parse(readFileSync(batchFile, "utf8")) as Batch;

let count = 0;
const pass = (): void => {
  count += 1;
  if (count === Number(nth)) process.kill(process.pid, "SIGKILL");
};

/** The same connection with counted statements. */
function watch(db: Connection): Connection {
  return new Proxy(db, {
    get: (target, name) => {
      if (name !== "prepare") {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return (sql: string) => {
        const isFrame = /^(begin|commit|savepoint|release|rollback)/.test(sql);
        const statement = target.prepare(isFrame && loose ? "select 1 where 0" : sql);
        const counted =
          (method: "run" | "get") =>
          (...parameters: unknown[]): unknown => {
            pass();
            return isFrame && loose ? statement.get() : statement[method](...parameters);
          };
        return {
          run: counted("run"),
          get: counted("get"),
          all: statement.all.bind(statement),
          pluck: () => statement.pluck(),
        };
      };
    },
  });
}

const db = openConnection({ file });
const results = createTransact(watch(db))([batch]);
db.close();
console.log(JSON.stringify({ count, results }));
