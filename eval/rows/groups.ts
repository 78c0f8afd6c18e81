import type { Group } from "./row.ts";

/**
 * All rows, in independent groups: each is loaded and run in a separate thread, the longest first.
 * `ids`: what the ids of its rows begin with.
 */
export type GroupPlace = { readonly ids: readonly string[]; readonly load: () => Promise<Group> };

export const groups: Readonly<Record<string, GroupPlace>> = {
  costs: {
    ids: ["cost.airline", "cost.research", "cost.over-floor", "reuse"],
    load: async () => (await import("./cost-rows.ts")).measureCosts,
  },
  checks: {
    ids: ["prefix.breaks", "faithful.violations", "receipt.complete"],
    load: async () => (await import("./check-rows.ts")).measureChecks,
  },
  valid: { ids: ["valid"], load: async () => (await import("./product-rows.ts")).measureValidity },
  peerResearch: {
    ids: ["cost.research", "reuse.research"],
    load: async () => (await import("./peer-cost-rows.ts")).measurePeerResearch,
  },
  dialogues: { ids: ["locomo"], load: async () => (await import("./evidence-rows.ts")).measureDialogues },
  needs: { ids: ["provenance"], load: async () => (await import("./need-rows.ts")).measureNeeds },
  newest: { ids: ["newest-wins"], load: async () => (await import("./planted-rows.ts")).measureNewest },
  chats: { ids: ["beam"], load: async () => (await import("./product-rows.ts")).measureChats },
  evidence: { ids: ["locomo"], load: async () => (await import("./product-rows.ts")).measureEvidence },
  ledger: { ids: ["provenance"], load: async () => (await import("./product-rows.ts")).measureLedger },
  dense: { ids: ["cost.research-dense"], load: async () => (await import("./cost-rows.ts")).measureDense },
  peerAirline: {
    ids: ["cost.airline", "reuse.airline"],
    load: async () => (await import("./peer-cost-rows.ts")).measurePeerAirline,
  },
  determinism: {
    ids: ["determinism"],
    load: async () => (await import("./determinism/determinism-rows.ts")).measureDeterminism,
  },
  instructions: { ids: ["injection"], load: async () => (await import("./planted-rows.ts")).measureInstructions },
  secrets: { ids: ["leaks"], load: async () => (await import("./planted-rows.ts")).measureSecrets },
};
