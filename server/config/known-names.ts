import { ConfigError } from "./config-error.ts";
import { settings, testNames } from "./settings.ts";

/** A misspelt setting would be silently without effect, which for a limit or a token is dangerous: it is an error instead. */
export function assertKnownNames(env: Readonly<Record<string, string | undefined>>): void {
  const known = [...Object.keys(settings), ...testNames];
  for (const name of Object.keys(env)) {
    if (!name.startsWith("STONECHAT_") || known.includes(name)) continue;
    throw new ConfigError(`${name} is not a setting. Did you mean ${findClosest(name, known)}?`);
  }
}

function findClosest(name: string, known: readonly string[]): string {
  const [closest] = known
    .filter((candidate) => candidate.startsWith("STONECHAT_"))
    .map((candidate) => ({ candidate, distance: countEdits(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  return closest?.candidate ?? "STONECHAT_HOST";
}

/** Levenshtein: how many letters to add, drop or change. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
