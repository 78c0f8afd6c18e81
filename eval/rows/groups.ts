import { join } from "node:path";
import { measureBeam } from "../beam.ts";
import { measureLocomo } from "../locomo.ts";
import { measureProvenance } from "../provenance.ts";
import { measureValid } from "../valid.ts";
import { measureChecks } from "./check-rows.ts";
import { measureCosts, measureDense } from "./cost-rows.ts";
import { measureDeterminism } from "./determinism-rows.ts";
import { measureDialogues } from "./evidence-rows.ts";
import { measureNeeds } from "./need-rows.ts";
import { measurePeerAirline, measurePeerResearch } from "./peer-cost-rows.ts";
import { measureInstructions, measureNewest, measureSecrets } from "./planted-rows.ts";
import { toCount, type Group } from "./row.ts";

/** Threads of the row about validity, and with `--deep`. */
const VALID = { seed: 11, threads: 1_000, deepThreads: 100_000 };

const measureValidity: Group = async ({ wants, isDeep }) => {
  if (!wants("valid")) return [];
  const threads = isDeep ? VALID.deepThreads : VALID.threads;
  const { violations, requests, samples } = await measureValid({ threads, seed: VALID.seed });
  for (const sample of samples) process.stderr.write(`${sample}\n`);
  return [toCount("valid.violations", violations, requests), toCount("valid.threads", threads, threads)];
};

const measureEvidence: Group = async ({ find, wants }) => {
  const folder = find("locomo");
  return folder === undefined || !wants("locomo") ? [] : measureLocomo(join(folder, ".."));
};

const measureLedger: Group = async ({ find, wants }) => {
  const folder = find("tau-airline");
  return folder === undefined || !wants("provenance") ? [] : measureProvenance(join(folder, ".."));
};

const measureChats: Group = async ({ find, wants }) => {
  const folder = find("beam");
  return folder === undefined || !wants("beam") ? [] : measureBeam(join(folder, ".."));
};

/** All rows, in groups that know nothing of each other: each runs in a thread of its own. The longest come first. */
export const groups: Readonly<Record<string, Group>> = {
  costs: measureCosts,
  checks: measureChecks,
  valid: measureValidity,
  peerResearch: measurePeerResearch,
  dialogues: measureDialogues,
  needs: measureNeeds,
  ledger: measureLedger,
  newest: measureNewest,
  chats: measureChats,
  evidence: measureEvidence,
  dense: measureDense,
  peerAirline: measurePeerAirline,
  determinism: measureDeterminism,
  instructions: measureInstructions,
  secrets: measureSecrets,
};
