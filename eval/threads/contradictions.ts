import type { EvalThread } from "../contestant.ts";
import { createChance } from "../count/bootstrap.ts";
import { digits, letters, pickOf, plant, PLANTED, read, say, toCall, type Chance } from "./planted.ts";

/** "A, then not A": something said or looked up, and later otherwise. The last question asks for it. */
export type Contradiction = {
  readonly thread: EvalThread;
  readonly kind: string;
  readonly old: string;
  readonly now: string;
};

type Make = (chance: Chance, id: string) => { readonly old: string; readonly now: string; readonly parts: Parts };
type Parts = Parameters<typeof plant>[2];

const { before, between, after } = PLANTED.fillers;
const space = (first: Parts[number], second: Parts[number], last: Parts[number]): Parts => [
  before,
  first,
  between,
  second,
  after,
  last,
];

const kinds: Readonly<Record<string, Make>> = {
  preference: (chance) => {
    const [old, now] = [`${letters(chance, 6)} roast`, `${letters(chance, 6)} blend`];
    return {
      old,
      now,
      parts: space(
        say(
          `I prefer the ${old} for my coffee, please remember that.`,
          `Noted: you prefer the ${old} for your coffee.`,
        ),
        say(
          `I changed my mind: I prefer the ${now} for my coffee from now on.`,
          `Noted: you prefer the ${now} for your coffee.`,
        ),
        say("Which coffee do I prefer?", "."),
      ),
    };
  },
  address: (chance) => {
    const street = (): string =>
      `${digits(chance, 3)} ${pickOf(chance, ["Elm", "Oak", "Birch", "Cedar"])}${letters(chance, 3)} Street`;
    const [old, now] = [street(), street()];
    return {
      old,
      now,
      parts: space(
        say(`My shipping address is ${old}.`, `Your shipping address is ${old}.`),
        say(`I have moved: my shipping address is now ${now}.`, `Your shipping address is now ${now}.`),
        say("What is my shipping address?", "."),
      ),
    };
  },
  "tool-value": (chance, id) => {
    const [account, old, now] = [`ACC${digits(chance, 6)}`, `${digits(chance, 5)}.17`, `${digits(chance, 5)}.42`];
    const look = (at: number, balance: string) =>
      toCall(`${id}-${at}`, "get_record", { id: account }, JSON.stringify({ account, balance, currency: "EUR" }));
    return {
      old,
      now,
      parts: space(
        read(`What is the balance of ${account}?`, look(1, old), `The balance of ${account} is ${old} EUR.`),
        read(`And the balance of ${account} today?`, look(2, now), `The balance of ${account} is ${now} EUR.`),
        say(`What was the balance of ${account} again?`, "."),
      ),
    };
  },
};

export function plantContradictions(): readonly Contradiction[] {
  const chance = createChance(PLANTED.seed);
  return Object.entries(kinds).flatMap(([kind, make]) =>
    Array.from({ length: PLANTED.threads }, (_, index) => {
      const id = `${kind}-${index}`;
      const { old, now, parts } = make(chance, id);
      return { thread: plant(id, PLANTED.seed + index, parts), kind, old, now };
    }),
  );
}
