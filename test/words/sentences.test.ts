import { APICallError } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { kinds } from "../../protocol/project/kinds.ts";
import { englishSentences, item, renderSentence, say, sentence, type Sentence } from "../../protocol/sentences.ts";
import { verdicts } from "../../server/model/failure-status.ts";
import { toFailure } from "../../server/model/failure.ts";
import ar from "../../web/languages/ar.ts";
import de from "../../web/languages/de.ts";
import es from "../../web/languages/es.ts";
import fr from "../../web/languages/fr.ts";
import ja from "../../web/languages/ja.ts";

type Item = ReturnType<typeof item>;
const translations = { ar, de, es, fr, ja };

const render = (one: Sentence, texts: Parameters<typeof renderSentence>[1]) => renderSentence(one, texts, String) ?? "";

/** Values that no sentence contains by itself. */
const samples = ["Ba|1", "Ba|2", "Ba|3"];

test("every sentence has a translation that uses each of its values once and is not in English", () => {
  for (const [name, english] of Object.entries(englishSentences)) {
    const values = samples.slice(0, typeof english === "function" ? english.length : 0);
    for (const [language, { sentences }] of Object.entries(translations)) {
      const text = render({ name, values }, sentences);
      const counts = values.map((value) => text.split(value).length - 1);
      expect({ name, language, counts }).toEqual({ name, language, counts: values.map(() => 1) });
      expect(text).not.toBe(render({ name, values }, englishSentences));
      if (name.startsWith("item-")) continue;
      expect({ name, language, text }).toMatchObject({ text: expect.stringMatching(/[.。…“”»」\d?？؟\u2069]$/u) });
    }
  }
});

test("the items of a list are named by kind and joined", () => {
  const items = kinds.map(({ name }) => item("item-named", name, "Ba|1"));
  for (const { sentences } of Object.values(translations)) {
    for (const one of items) expect(render(one, sentences)).not.toMatch(new RegExp(`^${one.values[0]}`));
    const list = (words: readonly string[]) => words.join(" + ");
    const text = renderSentence(sentence("asks-items", items.slice(0, 2)), sentences, String, list) ?? "";
    expect(text.split("Ba|1")).toHaveLength(3);
    expect(text).toContain(" + ");
  }
  const [goal, milestone] = items as [Item, Item];
  expect(say(sentence("asks-items", [goal, milestone, item("item-more", 2)])).text).toBe(
    "Delete the goal “Ba|1”, the milestone “Ba|1” and 2 more?",
  );
});

test("every verdict about a failed call has a sentence in each language", () => {
  for (const verdict of Object.values(verdicts)) {
    const one = verdict.explain("Basalt");
    for (const { sentences } of Object.values(translations)) expect(render(one, sentences)).toContain("Basalt");
  }
});

const networkCodes = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "CERT_HAS_EXPIRED",
  "ETIMEDOUT",
  "ECONNRESET",
  "HPE_INVALID_TOKEN",
  "UND_ERR_BODY_TIMEOUT",
];

test.each(networkCodes)("a failure of the network (%s) is a sentence in each language", (code) => {
  const { text, sentences = [] } = fail(Object.assign(new Error("failed"), { code }));
  expect(say(...sentences).text).toBe(text);
  for (const catalog of Object.values(translations))
    expect(render(sentences[0]!, catalog.sentences)).toContain("Basalt");
});

test("the words of a provider stay as they are, in the quotation marks of the language", () => {
  const { text, sentences = [] } = fail(api(429, "Slow down", { "retry-after": "90" }));
  expect(text).toContain("It asks to wait 90 s. It said: “Slow down”");
  const inLanguage = (texts: typeof englishSentences) => sentences.map((one) => render(one, texts));
  expect(inLanguage(de.sentences)).toEqual([
    "Basalt begrenzt gerade die Anfragen. Warte ein wenig oder wähle ein anderes Modell.",
    "Der Anbieter bittet, 90 s zu warten.",
    "Die Meldung lautet: „Slow down“",
  ]);
  expect(inLanguage(fr.sentences)[2]).toContain("«\u00a0Slow down\u00a0»");
  expect(inLanguage(es.sentences)[2]).toContain("«Slow down»");
  expect(inLanguage(ja.sentences)[2]).toContain("「Slow down」");
  expect(inLanguage(ar.sentences)[2]).toContain("«Slow down»");
});

test.each([
  ["1", "wait-seconds", 1],
  ["119", "wait-seconds", 119],
  ["300", "wait-minutes", 5],
  ["10800", "wait-hours", 3],
])("a wait of %s seconds is given in a readable unit", (seconds, name, value) => {
  expect(fail(api(429, "", { "retry-after": seconds })).sentences).toContainEqual({ name, values: [value] });
});

const fail = (error: unknown) => toFailure(error, { label: "Basalt", secrets: [], now: 0 });

const api = (statusCode: number, message: string, responseHeaders: Record<string, string>) =>
  new APICallError({
    message: "failed",
    url: "https://example.test/v1",
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody: JSON.stringify({ error: { message } }),
  });
