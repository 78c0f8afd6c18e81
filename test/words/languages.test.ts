import { afterEach, expect, test } from "vitest";
import { define, isRightToLeft, languages, matchLanguage, setLanguage } from "../../web/strings/language.ts";
import { createPlural } from "../../web/languages/plurals.ts";
import type { AccountTexts, Catalog } from "../../web/languages/catalog.ts";
import ar from "../../web/languages/ar.ts";
import arAccounts from "../../web/languages/accounts/ar.ts";
import de from "../../web/languages/de.ts";
import deAccounts from "../../web/languages/accounts/de.ts";
import es from "../../web/languages/es.ts";
import esAccounts from "../../web/languages/accounts/es.ts";
import fr from "../../web/languages/fr.ts";
import frAccounts from "../../web/languages/accounts/fr.ts";
import ja from "../../web/languages/ja.ts";
import jaAccounts from "../../web/languages/accounts/ja.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";

afterEach(() => setLanguage("en", "en", {}));

const translations: Readonly<Record<string, Catalog & AccountTexts>> = {
  ar: { ...ar, ...arAccounts },
  de: { ...de, ...deAccounts },
  es: { ...es, ...esAccounts },
  fr: { ...fr, ...frAccounts },
  ja: { ...ja, ...jaAccounts },
};

/** Paths of all texts. Texts by code are records, which the compiler does not compare. */
function listPaths(value: unknown, path = ""): readonly string[] {
  if (typeof value === "function") return [`${path}(${value.length})`];
  if (value === null || typeof value !== "object") return [path];
  return Object.entries(value).flatMap(([key, one]) => listPaths(one, `${path}.${key}`));
}

async function readEnglish(): Promise<Record<string, unknown>> {
  const folder = join(import.meta.dirname, "../../web/strings");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/(?:^|\/)(?:language|plural|device-names)\.ts$/.test(file),
  );
  const modules = await Promise.all(
    files.map((file) => import(join(folder, file)) as Promise<Record<string, unknown>>),
  );
  return Object.fromEntries(modules.flatMap((module) => Object.entries(module)));
}

test("every language has every text of the English catalog, and no other", async () => {
  const english = listPaths(await readEnglish()).toSorted();
  expect(english.length).toBeGreaterThan(1000);
  expect(Object.keys(translations).toSorted()).toEqual(
    Object.keys(languages)
      .filter((one) => one !== "en")
      .toSorted(),
  );
  for (const [name, catalog] of Object.entries(translations)) {
    expect({ name, paths: listPaths(catalog).toSorted() }).toEqual({ name, paths: english });
  }
});

test("most texts of a language differ from English, and none is empty where English has words", async () => {
  const english = new Map(listTexts(await readEnglish()));
  for (const [name, catalog] of Object.entries(translations)) {
    const texts = listTexts(catalog);
    const same = texts.filter(([path, text]) => english.get(path) === text);
    expect({ name, share: same.length / texts.length < 0.15 }).toEqual({ name, share: true });
    expect({ name, empty: texts.filter(([path, text]) => text === "" && english.get(path) !== "") }).toEqual({
      name,
      empty: [],
    });
  }
});

function listTexts(value: unknown, path = ""): readonly (readonly [string, string])[] {
  if (typeof value === "string") return [[path, value]];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, one]) => listTexts(one, `${path}.${key}`));
}

test("a section is the translation once a language is set, and English without one", () => {
  setLanguage("de", "de-CH", { actions: { save: "Speichern" } });
  expect(define("actions", { save: "Save" }).save).toBe("Speichern");
  expect(define("others", { open: "Open" }).open).toBe("Open");
});

test.each([
  [["de-CH", "en"], "de", "de-CH"],
  [["it", "fr-CA"], "fr", "fr-CA"],
  [["pt-BR"], "en", "en"],
  [[], "en", "en"],
  [["AR"], "ar", "AR"],
])("for the browser languages %j the page uses %s", (preferred, language, locale) => {
  expect(matchLanguage(preferred)).toEqual({ language, locale });
});

test("only Arabic is written from right to left", () => {
  expect(Object.keys(languages).filter((one) => isRightToLeft(one as "ar"))).toEqual(["ar"]);
});

test("counts choose the form of a language", () => {
  const plural = createPlural("ar");
  const forms = {
    zero: "لا رسائل",
    one: "رسالة واحدة",
    two: "رسالتان",
    few: "# رسائل",
    many: "# رسالة",
    other: "# رسالة",
  };
  expect(plural(3, forms)).toBe("3 رسائل");
  expect(plural(11, forms, "١١")).toBe("١١ رسالة");
  expect(createPlural("de")(1, { one: "Nachricht", other: "Nachrichten" })).toBe("1 Nachricht");
  expect(createPlural("ja")(5, { other: "#件" })).toBe("5件");
});
