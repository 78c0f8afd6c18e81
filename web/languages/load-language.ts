import {
  isLanguage,
  loadAccountTextsWith,
  languageKey,
  isRightToLeft,
  matchLanguage,
  setLanguage,
  type Language,
} from "../strings/language.ts";
import type { AccountTexts, Catalog } from "./catalog.ts";

/** English is built into the page; each other language is one file, loaded when it is used. */
const catalogs: Readonly<Record<Exclude<Language, "en">, () => Promise<{ readonly default: Catalog }>>> = {
  ar: () => import("./ar.ts"),
  de: () => import("./de.ts"),
  es: () => import("./es.ts"),
  fr: () => import("./fr.ts"),
  ja: () => import("./ja.ts"),
};

const accountTexts: Readonly<Record<Exclude<Language, "en">, () => Promise<{ readonly default: AccountTexts }>>> = {
  ar: () => import("./accounts/ar.ts"),
  de: () => import("./accounts/de.ts"),
  es: () => import("./accounts/es.ts"),
  fr: () => import("./accounts/fr.ts"),
  ja: () => import("./accounts/ja.ts"),
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
  const load = language === "en" ? undefined : catalogs[language];
  try {
    const catalog = load === undefined ? {} : (await load()).default;
    apply(language, locale, catalog);
  } catch (error) {
    console.error(error);
    apply("en", "en", {});
  }
}

function apply(language: Language, locale: string, catalog: Readonly<Record<string, unknown>>): void {
  setLanguage(language, locale, catalog);
  // Not if the catalog could not be loaded: then the page is in English.
  if (language !== "en") loadAccountTextsWith(accountTexts[language]);
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
