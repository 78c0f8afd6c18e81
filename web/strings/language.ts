/**
 * The page's language. `main.ts` sets it before any other module of the page is loaded, so that modules may read strings when
 * they are evaluated. Changing the language reloads the page.
 */
export const languages = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  ja: "日本語",
  ar: "العربية",
} as const;

/** Where browser storage has the chosen language; without one, the browser's language applies. */
export const languageKey = "language";

export type Language = keyof typeof languages;

const rightToLeft: ReadonlySet<Language> = new Set(["ar"]);

let current: Language = "en";
let currentLocale = "en-u-nu-latn";
let translations: Readonly<Record<string, unknown>> = {};

/**
 * `locale` is the language with the reader's region, such as `de-CH`, for dates and numbers. All numbers have Western digits, also in
 * Arabic.
 */
export function setLanguage(language: Language, locale: string, catalog: Readonly<Record<string, unknown>>): void {
  current = language;
  currentLocale = `${locale}-u-nu-latn`;
  translations = catalog;
}

let loadTexts: (() => Promise<{ readonly default: Readonly<Record<string, unknown>> }>) | null = null;

export function loadAccountTextsWith(load: NonNullable<typeof loadTexts>): void {
  loadTexts = load;
}

/** Loads the texts of accounts, which few pages show. Call it before importing modules that read them at the top level. */
export async function loadAccountTexts(): Promise<void> {
  if (!loadTexts) return;
  translations = { ...translations, ...(await loadTexts()).default };
  loadTexts = null;
}

export const getLanguage = (): Language => current;
export const getLocale = (): string => currentLocale;
export const isRightToLeft = (language: Language): boolean => rightToLeft.has(language);

/** A section of the catalog: the translation of that name, or the English text. */
export const define = <T extends object>(name: string, english: T): T =>
  (translations[name] as T | undefined) ?? english;

/** The first of the reader's languages that the page has, with its locale. */
export function matchLanguage(preferred: readonly string[]): { readonly language: Language; readonly locale: string } {
  for (const locale of preferred) {
    const language = locale.toLowerCase().split("-")[0] ?? "";
    if (isLanguage(language)) return { language, locale };
  }
  return { language: "en", locale: "en" };
}

export const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text);
