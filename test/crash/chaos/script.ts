/** A message for the scripted model and its expected result: the text of the answer and the effects by token. */
export type Script = { readonly text: string; readonly hasCalls: boolean };

type Random = () => number;

/** Deterministic for a seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

const tools = ["effect_pure", "effect_keyed", "effect_once", "effect_own"];

/** Answers of 10 to 200 ms. Half of them call tools, some two at once, some twice. */
export function createScript(random: Random, token: string): Script {
  const say = () => `say ${2 + Math.floor(random() * 18)} words every 5ms`;
  const call = (n: number) => {
    const times = { beforeMs: Math.floor(random() * 25), afterMs: Math.floor(random() * 25) };
    return `call ${pick(random, tools)} ${JSON.stringify({ token: `${token}.${n}`, ...times })}`;
  };
  const forms: readonly (() => string)[] = [
    say,
    () => `think 8 words every 5ms then ${say()}`,
    () => `${say()} then ${call(0)} then ${say()}`,
    () => `${call(0)} and ${call(1)} then ${say()}`,
    () => `${call(0)} then ${say()} then ${call(1)} then ${say()}`,
  ];
  const text = pick(random, forms)();
  return { text, hasCalls: text.includes("call ") };
}

/** The answer to this script: the counted words of each `say`, with parts separated. */
export const toAnswer = (text: string): string =>
  [...text.matchAll(/say (\d+) words?/g)].map(([, count]) => toWords(Number(count))).join("\n\n");

const toWords = (count: number): string => Array.from({ length: count }, (_, index) => `w${index + 1}`).join(" ");
