import { peers } from "../contestants/peers.ts";
import { appendOnly, seeds } from "../contestants/seeds.ts";
import type { EvalThread } from "../contestant.ts";
import { bootstrap } from "../count/bootstrap.ts";
import { costOf, priceTables, sum } from "../count/prices.ts";
import type { AddedMeasure } from "../report.ts";
import { buildResearch } from "../threads/research.ts";
import { chainAirline, simulateAll } from "./cost-rows.ts";
import { toRow, type Group, type Setting } from "./row.ts";

/** The other contestants' cost per turn, and the share of each prompt that repeats the previous one. */
const measure = async (
  kind: string,
  threads: readonly EvalThread[],
  { wants }: Setting,
): Promise<readonly AddedMeasure[]> => {
  const rows: AddedMeasure[] = [];
  const list = [...seeds, appendOnly, ...peers].filter(
    ({ name }) => wants(`cost.${kind}.${name}`) || wants(`reuse.${kind}.${name}`),
  );
  for (const [name, told] of await simulateAll(list, threads)) {
    for (const prices of priceTables.filter(({ name }) => name === "r10" || name === "r02"))
      rows.push(
        toRow(
          `cost.${kind}.${name}.${prices.name}`,
          "tokens/turn",
          bootstrap(told, (some) => sum(some, ({ calls }) => costOf(calls, prices)) / sum(some, ({ turns }) => turns)),
        ),
      );
    const reuse = bootstrap(told, (some) => {
      const calls = some.flatMap((one) => one.calls.filter(({ isFirst }) => !isFirst));
      return sum(calls, ({ shared }) => shared) / sum(calls, ({ input }) => input);
    });
    rows.push(toRow(`reuse.${kind}.${name}`, "share", reuse));
  }
  return rows;
};

export const measurePeerAirline: Group = async (setting) => {
  const path = setting.find("tau-airline/runs.json.gz");
  return path === undefined ? [] : measure("airline", chainAirline(path), setting);
};

export const measurePeerResearch: Group = async (setting) => {
  const path = setting.find("pages");
  return path === undefined ? [] : measure("research", buildResearch(path), setting);
};
