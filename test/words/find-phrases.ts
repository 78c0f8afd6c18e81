import { british, isBareParticiple, phrases } from "./phrases.ts";

type Text = { readonly at: number; readonly text: string };

const tokens = /\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g;
const title = /\b(?:test|describe|it)(?:\.\w+(?:\([^)]*\))?)*\(\s*$/;
const isTestFile = /\.test\.tsx?$|^test\/|^eval\/|^bench\//;
const isTranslation =
  /^web\/languages\/(?:(?:accounts|factors|health|members|outside|own-keys|person)\/)?[a-z]{2}\.ts$/;
const jsxText = />([^<>{}=;]*[A-Za-z][^<>{}=;]*)</g;

/** Every phrase to replace in a file, as `path:line "phrase": advice`. Input data of tests is not prose and is left alone. */
export function findPhrases(
  path: string,
  text: string,
): { readonly faults: readonly string[]; readonly words: number } {
  const texts = path.endsWith(".md") ? [{ at: 0, text: withoutCode(text) }] : [...listTexts(path, text)];
  const rules = isTranslation.test(path) ? phrases.filter(({ pattern }) => pattern !== british) : phrases;
  const faults = texts.flatMap((one) =>
    rules.flatMap(({ pattern, instead }) =>
      [...one.text.matchAll(pattern)].map((match) => {
        const line = text.slice(0, one.at + match.index).split("\n").length;
        return `${path}:${line} "${match[0]}": ${instead}`;
      }),
    ),
  );
  const named = path.endsWith(".md")
    ? []
    : [...text.matchAll(/^\s*(?:export )?(?:type|class|interface) (\w+)/gm)]
        .filter(([, name = ""]) => isBareParticiple(name))
        .map(
          ({ index, 1: name }) => `${path}:${text.slice(0, index).split("\n").length + 1} type ${name}: name the thing`,
        );
  const spelled = [...findBritish(path, path), ...(path.endsWith(".md") ? [] : findBritish(path, withoutTexts(text)))];
  const words = texts.reduce((sum, one) => sum + one.text.split(/\s+/).length, 0);
  return { faults: [...faults, ...named, ...spelled], words };
}

/** British spellings in identifiers or in the file's name. */
const findBritish = (path: string, text: string): readonly string[] =>
  [...text.matchAll(british)].map(
    ({ 0: name, index }) => `${path}:${text.slice(0, index).split("\n").length} "${name}": American spelling`,
  );

const withoutTexts = (text: string): string => text.replace(tokens, (token) => token.replace(/[^\n]/g, " "));

function* listTexts(path: string, text: string): Generator<Text> {
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token.startsWith("/")) yield { at: index, text: joinLines(token) };
    else if (isTestFile.test(path) ? title.test(text.slice(Math.max(0, index - 80), index)) : isProse(token))
      yield { at: index, text: token };
  }
  if (path.endsWith(".tsx"))
    for (const { 1: inner = "", index } of text.matchAll(jsxText)) if (isProse(inner)) yield { at: index, text: inner };
}

/** Comment markers replaced by spaces of the same length, so that positions stay true. */
const joinLines = (comment: string): string =>
  comment.replace(/\n\s*(?:\*|\/\/)(?!\/)/g, (mark) => `\n${" ".repeat(mark.length - 1)}`);

const isProse = (token: string): boolean =>
  /[A-Za-z]+ [a-z]+/.test(token) && /[A-Z][a-z]+ |[.!?:…]["'`]?$|\. /.test(token);

const withoutCode = (markdown: string): string =>
  markdown.replace(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, " "));
