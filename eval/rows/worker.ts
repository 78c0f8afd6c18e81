import { existsSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { AddedMeasure } from "../report.ts";
import { groups } from "./groups.ts";

/** Runs one group of rows in a worker thread. Returns its measures and missed targets. */
export type Work = { readonly group: string; readonly data: string; readonly only: string; readonly isDeep: boolean };
export type WorkerResult = { readonly measures: readonly AddedMeasure[]; readonly absent: readonly string[] };

const { group, data, only, isDeep } = workerData as Work;
const absent: string[] = [];
const measure = await groups[group]?.load();
const measures =
  (await measure?.({
    find: (path) => {
      const place = join(data, path);
      if (existsSync(place)) return place;
      absent.push(place);
      return undefined;
    },
    wants: (id) => id.startsWith(only) || only.startsWith(id),
    isDeep,
  })) ?? [];
const done: WorkerResult = { measures, absent };
parentPort?.postMessage(done);
