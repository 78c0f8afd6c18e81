import { join } from "node:path";
import { measureBeam } from "../beam.ts";
import { measureLocomo } from "../locomo.ts";
import { measureProvenance } from "../provenance.ts";
import { measureValid } from "../valid.ts";
import { toCount, type Group } from "./row.ts";

/** Rows about single modules, which can also be run as separate evaluations. */
const VALID = { seed: 11, threads: 1_000, deepThreads: 100_000 };

export const measureValidity: Group = async ({ isDeep }) => {
  const threads = isDeep ? VALID.deepThreads : VALID.threads;
  const { violations, requests, samples } = await measureValid({ threads, seed: VALID.seed });
  for (const sample of samples) process.stderr.write(`${sample}\n`);
  return [toCount("valid.violations", violations, requests), toCount("valid.threads", threads, threads)];
};

export const measureEvidence: Group = async ({ find }) => {
  const folder = find("locomo");
  return folder === undefined ? [] : measureLocomo(join(folder, ".."));
};

export const measureLedger: Group = async ({ find }) => {
  const folder = find("tau-airline");
  return folder === undefined ? [] : measureProvenance(join(folder, ".."));
};

export const measureChats: Group = async ({ find }) => {
  const folder = find("beam");
  return folder === undefined ? [] : measureBeam(join(folder, ".."));
};
