/** Chooses the form of a word for a count by the rules of the language; `other` is required, missing forms fall back to it. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/**
 * `plural(3, { one: "Nachricht", other: "Nachrichten" })` is "3 Nachrichten". A form with `#` places the number itself; `text`
 * is the formatted number, if it is not the plain one.
 */
export function createPlural(locale: string): (count: number, forms: Forms, text?: string) => string {
  let rules: Intl.PluralRules | undefined;
  return (count, forms, text = String(count)) => {
    rules ??= new Intl.PluralRules(locale);
    const form = forms[rules.select(count)] ?? forms.other;
    return form.includes("#") ? form.replace("#", text) : `${text} ${form}`;
  };
}
