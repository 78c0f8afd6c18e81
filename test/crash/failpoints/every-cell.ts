import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PartOf } from "../../../protocol/parts.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";
import { query } from "../../support/server/database.ts";
import { OWN_ROLE, readEffects } from "../../support/server/effects.ts";
import { openThreadClient } from "../../support/server/thread-client.ts";

/**
 * The process kills itself at each failpoint of a tool call and is restarted. The effects are counted outside the process.
 * `expected` lists the expected result for every tool class. The controls are tools with a wrong class.
 */
const points = ["before-intent", "after-intent", "after-effect", "after-result", "before-terminal"] as const;
type Point = (typeof points)[number];
type Cell = { readonly state: string; readonly executions: number; readonly effects: number };

const done = (executions: number): Cell => ({ state: "ok", executions, effects: 1 });
const again: Readonly<Record<Point, Cell>> = {
  "before-intent": done(1),
  "after-intent": done(1),
  "after-effect": done(2),
  "after-result": done(1),
  "before-terminal": done(1),
};
const expected: Readonly<Record<string, Readonly<Record<Point, Cell>>>> = {
  effect_pure: again,
  effect_keyed: again,
  effect_own: again,
  effect_once: {
    ...again,
    "after-intent": { state: "unknown", executions: 0, effects: 0 },
    "after-effect": { state: "unknown", executions: 1, effects: 1 },
  },
};

/** Two classes differ from `effect_pure` only where an effect may be repeated, so the rest is tried in deep runs. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const pointsOf = (tool: string): readonly Point[] =>
  isDeep || tool === "effect_pure" || tool === "effect_once" ? points : ["after-intent", "after-effect"];

export function tryEveryCell({ createDatabase }: { readonly createDatabase?: () => Promise<string> }): void {
  let server: ServerProcess;
  let deaths = 0;
  beforeAll(async () => {
    const database = createDatabase ? { databaseUrl: await createDatabase() } : {};
    server = await startServer({ spare: true, env: { STONECHAT_LEASE_MS: "500" }, ...database });
  });
  afterAll(() => server?.close());

  const crash = async (tool: string, point: Point): Promise<Cell> => {
    await server.arm(point);
    const chat = await openThreadClient(server);
    const token = `${tool} ${point}`;
    const asked = await chat.send(`say one then call ${tool} {"token":"${token}"} then say two`);
    expect(await server.exited()).toEqual({ code: null, signal: "SIGKILL" });
    deaths += 1;
    await server.restart();
    const { run, message } = await chat.answered(asked);
    expect(run).toMatchObject({ outcome: "done", reason: null });
    const calls = message.parts.filter((part): part is PartOf<"tool"> => part.kind === "tool");
    expect(calls).toHaveLength(1);
    const next = await chat.answered(await chat.send("say three"));
    expect(next.run.outcome).toBe("done");
    chat.close();
    return { state: calls[0]!.state, ...(await countEffects(tool, token)) };
  };

  const countEffects = async (tool: string, token: string) => {
    const made = readEffects(server.dataDir).filter((effect) => effect.token === token);
    const rows = await query(server, "select * from members where object = ? and role = ?", [token, OWN_ROLE]);
    const byTool: Readonly<Record<string, number>> = {
      // An external service with idempotency keys executes each key once.
      effect_keyed: new Set(made.map(({ key }) => key)).size,
      effect_keyless: new Set(made.map(({ key }) => key)).size,
      effect_own: rows.length,
      // A tool without effects may run any number of times.
      effect_pure: Math.min(1, made.length),
    };
    return { executions: made.length, effects: byTool[tool] ?? made.length };
  };

  describe.each(Object.keys(expected))("%s", (tool) => {
    test.each(pointsOf(tool))("%s: the effect is neither lost nor duplicated, and the run ends", async (point) => {
      expect(await crash(tool, point)).toEqual(expected[tool]![point]);
    });
  });

  test.each(["effect_careless", "effect_keyless"])("control: detects a tool with a wrong class: %s", async (tool) => {
    const { effects } = await crash(tool, "after-effect");
    expect(effects).toBe(2);
  });

  test("every case was reached by a process that died", () => {
    expect(deaths).toBe(Object.keys(expected).flatMap(pointsOf).length + 2);
  });
}
