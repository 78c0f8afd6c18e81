/** Repeatable choices: the same seed makes the same conversations. */
export type Dice = ReturnType<typeof createDice>;

const WORDS =
  "tide harbour rope lantern granite berth signal weather crate keeper north anchor chart morning salt".split(" ");

export function createDice(seed: number) {
  let state = seed >>> 0;
  /** mulberry32 */
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  let marks = 0;
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(list: readonly T[]): T => {
    const found = list[Math.floor(next() * list.length)];
    if (found === undefined) throw new Error("nothing to pick from");
    return found;
  };
  const chance = (share: number): boolean => next() < share;
  return {
    between,
    pick,
    chance,
    /** A word that occurs nowhere else. */
    mark: (): string => {
      marks += 1;
      const letters = [...marks.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
      return `K${letters.join("")}q`;
    },
    words: (count: number): string =>
      Array.from({ length: count }, (_, index) => `${pick(WORDS)}${index % 9 === 8 ? "." : ""}`).join(" "),
    /** The model's behavior for each request of one answer. */
    plan: (): readonly string[] => {
      const steps = pick([0, 0, 1, 2, 4, 8, 12]);
      return Array.from({ length: steps }, () => {
        if (chance(0.06)) return "too-long";
        if (chance(0.06)) return "fallback";
        return chance(0.01) ? "retry" : "look";
      });
    },
  };
}
