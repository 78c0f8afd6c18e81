import { costLabels } from "../strings/labels/costs.ts";
import { memoryFields, promptLabels as strings } from "../strings/labels/prompt.ts";

/** Labels for stored codes. An unknown code, as from a newer version, is shown with spaces for dashes. */
const toWords = (code: string): string => {
  const words = code.replaceAll(/[-_]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
const find = (labels: Readonly<Record<string, string>>, code: string): string => labels[code] ?? toWords(code);

export const {
  slots: slotWords,
  kinds: kindWords,
  omissions: leftOutWords,
  covers: coverWords,
  compactions: compactionWords,
  policies: policyWords,
} = strings;
export const fieldWords = memoryFields;

export const toWhy = (code: string): string => {
  const words = find(strings.reasons, code);
  return words.charAt(0).toLowerCase() + words.slice(1);
};

export const toBroken = (code: string): string => {
  const reason = /^epoch:(.+)$/.exec(code)?.[1];
  if (reason !== undefined) return strings.compacted(find(strings.compactions, reason));
  return strings.cacheMisses[code] ?? `${toWords(code)}.`;
};

export const toCheck = (name: string): string => find(strings.checks, name);
export const toPurpose = (code: string): string => find(costLabels.purposes, code);
