/** A `{{name}}` or `{{name=default}}` in a saved prompt. */
export type Variable = { readonly name: string; readonly initial: string };

const placeholder = /\{\{([^{}=\n]{1,60})(?:=([^{}\n]{0,1000}))?\}\}/g;

/** Each variable once, in order. The first default that is given counts. */
export function listVariables(text: string): readonly Variable[] {
  const found = new Map<string, string>();
  for (const [, name = "", initial = ""] of text.matchAll(placeholder)) {
    const key = name.trim();
    if (key !== "" && (found.get(key) ?? "") === "") found.set(key, initial);
  }
  return [...found].map(([name, initial]) => ({ name, initial }));
}

export const fillPrompt = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(placeholder, (whole, name: string) => {
    const key = name.trim();
    return Object.hasOwn(values, key) ? (values[key] ?? "") : whole;
  });
