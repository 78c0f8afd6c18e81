import {
  isLanguage,
  languageKey,
  isRightToLeft,
  matchLanguage,
  setLanguage,
  type Language,
} from "../strings/language.ts";
import type { Catalogue } from "./catalogue.ts";

/** English is built into the page; each other language is one file, loaded when it is used. */
const catalogues: Readonly<Record<Exclude<Language, "en">, () => Promise<{ readonly default: Catalogue }>>> = {
  ar: () => import("./ar.ts"),
  de: () => import("./de.ts"),
  es: () => import("./es.ts"),
  fr: () => import("./fr.ts"),
  ja: () => import("./ja.ts"),
};

/**
 * Sets the page's language: the chosen one (`stonechat.language` in browser storage), or else the first language of the browser
 * that the page has. If its file cannot be loaded, the page is shown in English.
 */
export async function loadLanguage(): Promise<void> {
  const chosen = readChoice();
  const preferred =
    chosen === null ? navigator.languages : [...navigator.languages.filter(isVariantOf(chosen)), chosen];
  const { language, locale } = matchLanguage(preferred);
  const load = language === "en" ? undefined : catalogues[language];
  try {
    const catalogue = load === undefined ? {} : (await load()).default;
    apply(language, locale, catalogue);
  } catch (error) {
    console.error(error);
    apply("en", "en", {});
  }
}

function apply(language: Language, locale: string, catalogue: Readonly<Record<string, unknown>>): void {
  setLanguage(language, locale, catalogue);
  document.documentElement.lang = language;
  document.documentElement.dir = isRightToLeft(language) ? "rtl" : "ltr";
}

/** `de` has the variants `de`, `de-CH`, ... */
const isVariantOf = (language: Language) => (locale: string) => locale.toLowerCase().split("-")[0] === language;

function readChoice(): Language | null {
  try {
    const choice = localStorage.getItem(`stonechat.${languageKey}`) ?? "";
    return isLanguage(choice) ? choice : null;
  } catch {
    return null;
  }
}
