import { peers, smallPeers } from "../contestants/peers.ts";
import { appendOnly, seeds } from "../contestants/seeds.ts";
import type { Contestant, EvalThread } from "../contestant.ts";
import { bootstrap } from "../count/bootstrap.ts";
import { toText } from "../count/evidence.ts";
import { forgetPieces } from "../count/pieces.ts";
import { priceTables, sum } from "../count/prices.ts";
import { listNeeds } from "../count/provenance.ts";
import { createOurs } from "../ours.ts";
import type { AddedMeasure } from "../report.ts";
import { interleaveRuns, readRuns, toTools } from "../threads/airline.ts";
import { ingestTurns } from "../threads/parts.ts";
import { countCarried } from "./evidence-rows.ts";
import { toRow, type Group } from "./row.ts";

/**
 * Runs merged turn by turn: is a value that a call will need in the request at the start of its turn? Everybody by their own
 * rules, ours by the whole engine as it runs; the ledger alone, right after a cut, is measured in `eval/provenance.ts`.
 */
type CarriedValues = {
  readonly found: number;
  readonly needed: number;
  readonly tokens: number;
  readonly turns: number;
};

export const measureNeeds: Group = async ({ find, wants }) => {
  const path = find("tau-airline/runs.json.gz");
  if (path === undefined) return [];
  const runs = readRuns(path);
  const tools = toTools(runs);
  const [prices] = priceTables;
  const stone = prices ? [createOurs({ name: "stone", note: "", prices, withRecall: true })] : [];
  const rows: AddedMeasure[] = [];
  for (const size of [10, 20]) {
    const threads = interleaveRuns(runs, size, tools);
    for (const contestant of [...seeds, appendOnly, ...peers, ...smallPeers, ...stone]) {
      if (!wants(`provenance.${size}.${contestant.name}`) && !wants(`provenance.tokens.${size}`)) continue;
      const told: CarriedValues[] = [];
      for (const thread of threads) told.push(await follow(contestant, thread));
      const found = bootstrap(told, (some) => sum(some, (one) => one.found) / sum(some, ({ needed }) => needed));
      const tokens = bootstrap(told, (some) => sum(some, (one) => one.tokens) / sum(some, ({ turns }) => turns));
      rows.push(toRow(`provenance.${size}.${contestant.name}`, "share", found));
      rows.push(toRow(`provenance.tokens.${size}.${contestant.name}`, "tokens", tokens));
      forgetPieces();
    }
  }
  return rows;
};

async function follow(contestant: Contestant, given: EvalThread): Promise<CarriedValues> {
  const needs = listNeeds(given.turns);
  const thread = contestant.ingest ? ingestTurns(given, contestant.ingest) : given;
  const session = contestant.start(thread);
  let [found, needed, tokens] = [0, 0, 0];
  for (const [index, { question, steps, answer }] of thread.turns.entries()) {
    session.add(question);
    for (const [step, parts] of steps.entries()) {
      const sent = await session.request();
      if (step === 0) {
        const text = toText(sent);
        const [part] = question.parts;
        tokens += countCarried(sent, thread.system, part?.kind === "text" ? part.text : "");
        needed += needs[index]?.length ?? 0;
        found += needs[index]?.filter((value) => text.includes(value)).length ?? 0;
      }
      session.grow(answer, parts);
    }
    await session.settle();
  }
  return { found, needed, tokens, turns: thread.turns.length };
}
