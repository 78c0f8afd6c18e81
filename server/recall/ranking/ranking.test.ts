import fc from "../../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { appendPostings, encodePostings, readPostings, type Posting } from "./postings.ts";
import { countTerms } from "./words.ts";
import { createScorer } from "./score.ts";
import { indexMessage, toDocs, type RecallPassage } from "./docs.ts";
import { listBest } from "./choose.ts";
import { recallParameters as p } from "./parameters.ts";
import { renderRecalled } from "./render.ts";
import { splitPassages } from "./passages.ts";
import { toQuery } from "./query.ts";
import { DAY_MS } from "../../lib/clock.ts";

const start = Date.UTC(2026, 2, 1);

/** Searches messages in sessions of one day each. Returns depths, best first. */
function search(
  query: string,
  sessions: readonly (readonly RecallPassage[])[],
  now = start + 100 * DAY_MS,
): readonly number[] {
  const messages = sessions.flat();
  const indexed = messages.map((message) => indexMessage([message]));
  const terms = indexed.map(([doc]) => doc!.terms);
  let doc = 0;
  const starts = sessions.map((session, n) => {
    const opens = { doc, at: start + n * DAY_MS };
    doc += session.length;
    return opens;
  });
  const bytes = Uint8Array.from(indexed.flatMap(([one]) => one!.bytes));
  const docs = toDocs([{ count: messages.length, bytes, sessions: starts, from: 0 }], p.sessionGapMs);
  const asked = toQuery({ query, now }, p);
  const scorer = createScorer(docs, asked, p);
  scorer.add(asked.terms, (term) => {
    const places = terms.flatMap((counts, at) => (counts.has(term) ? [{ at, count: counts.get(term)! }] : []));
    if (places.length === 0) return undefined;
    const read = {
      docs: Int32Array.from(places, ({ at }) => at),
      counts: Uint16Array.from(places, ({ count }) => count),
    };
    return { size: places.length, read: () => read };
  });
  return listBest(docs, scorer.rank(), 100, p).map((one) => docs.depths[one.doc]!);
}

const user = (text: string): RecallPassage => ({ speaker: "user", text });
const assistant = (text: string): RecallPassage => ({ speaker: "assistant", text });
const filler = [user("The weather is mild."), assistant("Indeed it is."), user("Rain later."), assistant("Maybe.")];

test("finds an answer by the words of the question before it", () => {
  const [first, second] = search("What instrument does she play?", [
    [...filler, user("Does she play an instrument?"), assistant("The bassoon."), ...filler],
    filler,
  ]);
  expect([first, second].toSorted()).toEqual([5, 6]);
});

test("neighbors in another session do not count", () => {
  const found = search("bassoon", [
    [...filler, user("She plays the bassoon.")],
    [user("Good morning."), ...filler],
  ]);
  expect(found).toContain(5);
  expect(found).not.toContain(6);
});

test("a date in the query finds passages of that day", () => {
  const told = [user("I bought a boat."), assistant("Congratulations on the boat.")];
  expect(search("Which boat did we speak of on 3 March 2026?", [told, filler, told, filler])[0]).toBe(7);
  expect(search("Which boat did we speak of on 2026-03-01?", [told, filler, told, filler])[0]).toBe(1);
});

test("a name in the query boosts the messages of the speaker with that name", () => {
  const talk = [
    user("Hey Ann! I repaired the canoe."),
    assistant("Hi Tom! I repaired the canoe."),
    user("Well done, Ann."),
    assistant("Thanks, Tom!"),
    user("Bye, Ann!"),
    assistant("Bye, Tom!"),
  ];
  expect(search("Who is it that Ann says repaired the canoe?", [talk])[0]).toBe(2);
  expect(search("Who is it that Tom says repaired the canoe?", [talk])[0]).toBe(1);
});

test("codes, paths, versions and addressed names are separate terms", () => {
  const terms = countTerms("Hey Ann! See src/app/main.ts, ticket ABC-123 and v2.1.0 of getUserName.");
  for (const term of ["=src/app/main.ts", "=abc-123", "=v2.1.0", "@ann"]) expect([...terms.keys()]).toContain(term);
});

test("a short query uses the previous exchange, a long one does not", () => {
  const short = toQuery({ query: "And the price?", previous: "the red bicycle", now: 0 }, p);
  const long = toQuery({ query: "What price has the new harbour crane?", previous: "the red bicycle", now: 0 }, p);
  expect(short.terms.get("bicycl")).toBe(p.borrowed);
  expect(long.terms.has("bicycl")).toBe(false);
});

const gaps = fc.array(fc.record({ gap: fc.integer({ min: 0, max: 500 }), count: fc.integer({ min: 1, max: 300 }) }));

test("packed postings survive a round trip, truncation and appending", () => {
  fc.assert(
    fc.property(gaps, fc.nat(3000), (steps, limit) => {
      let doc = -1;
      const postings = steps.map(({ gap, count }): Posting => ({ doc: (doc += 1 + gap), count }));
      const unpack = (bytes: Uint8Array, below: number): readonly Posting[] => {
        const into = { docs: new Int32Array(1000), counts: new Uint16Array(1000), size: 0 };
        readPostings(bytes, below, 0, into);
        return Array.from({ length: into.size }, (_, n) => ({ doc: into.docs[n]!, count: into.counts[n]! }));
      };
      const packed = encodePostings(postings);
      const kept = postings.filter((one) => one.doc < limit);
      expect(unpack(packed, Infinity)).toEqual(postings);
      expect(unpack(packed, limit)).toEqual(kept);
      const added = [{ doc: limit + 3, count: 2 }];
      const { bytes, count } = appendPostings(packed, limit, added);
      expect(unpack(bytes, Infinity)).toEqual([...kept, ...added]);
      expect(count).toBe(kept.length + 1);
    }),
  );
});

test("passages lose only white space, and none is too long", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("Word.", "a\n\nb", "longer words here", "😀", "x".repeat(90), "\n", " ")),
      (pieces) => {
        const text = pieces.join(" ");
        const passages = splitPassages(text, 80);
        for (const one of passages) expect(one.length).toBeLessThanOrEqual(80);
        expect(passages.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
      },
    ),
  );
});

test("renders recalled passages by date, each line with its short id and speaker", () => {
  expect(
    renderRecalled([
      { depth: 3, role: "user", at: start, text: "one" },
      { depth: 4, role: "assistant", at: start, text: "two" },
      { depth: 9, role: "tool", at: start + DAY_MS, text: "three" },
    ]),
  ).toBe("2026-03-01\nm3> one\nm4< two\n2026-03-02\nm9# three");
});
