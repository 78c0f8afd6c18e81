import { isStopWord, toTerms } from "../terms.ts";
import { toRequest } from "./polite.ts";

export type Query = { readonly query: string; readonly priority: number; readonly why: string };

const mostQueries = 3;
const longest = 200;
const mostRead = 1000;

/** One to three searches for a question: the whole of it, and its parts where it has several. */
export const toQueries = (whole: string): readonly Query[] => {
  const question = whole.slice(0, mostRead);
  const parts = splitQuestion(question);
  const compared = findCompared(question);
  const listed = [
    ...(parts.length > 1 ? parts : [question]).map((text) => ({
      text,
      why: parts.length > 1 ? "A part of the question" : "The question itself",
    })),
    ...compared.map((text) => ({ text, why: "One of those that are compared" })),
  ];
  const queries = new Map<string, string>();
  for (const { text, why } of listed) {
    const query = toQuery(text);
    if (query !== "" && ![...queries.keys()].some((other) => isSame(other, query))) queries.set(query, why);
  }
  return [...queries].slice(0, mostQueries).map(([query, why], index) => ({ query, priority: index + 1, why }));
};

/** The words that tell, as one would type them; at most 200 characters, not cut within a word. */
export const toQuery = (text: string): string => {
  const plain = toRequest(text.slice(0, mostRead).replace(/\s+/g, " "));
  const words = plain.split(" ");
  const first = words.findIndex((word) => !isStopWord(word));
  const telling = first > 0 ? words.slice(first).join(" ") : plain;
  const short = telling.replace(
    /(?:是多少|是什么|有多[高大长远深]|怎么样|吗|呢|は(?:何|どのくらい|いくつ|どこ|誰|いつ)(?:ですか)?|ですか|ますか)$/u,
    "",
  );
  return cutWords(short.replace(/[\s?？!！.。,，;；:：]+$/u, "") || plain);
};

const cutWords = (text: string): string => {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest).toWellFormed();
  return head.includes(" ") ? head.slice(0, head.lastIndexOf(" ")) : head;
};

const questionWord =
  "who|what|when|where|why|which|how|wer|was|wann|wo|warum|welche[rsn]?|wie|qui|que|quand|où|pourquoi|comment|quel(?:le)?s?|quién|qué|cuándo|dónde|por qué|cómo|cuál|chi|che|quando|dove|perché|come|quale|кто|что|когда|где|почему|как|какой";
const joined = new RegExp(
  `[?？;；]+\\s*|[,\\s]+(?:and|und|et|y|e|и)\\s+(?=(?:${questionWord})(?![\\p{L}]))|\\n+`,
  "iu",
);

/** A part that speaks of "it" needs the others. */
const leans =
  /(?<![\p{L}])(?:it|its|they|them|their|he|she|his|her|this|that|es|sie|er|ihr|il|elle|ils|lui|él|ella|ello|esso|essa|он|она|оно|они|его|её)(?![\p{L}])|[它他她]|それ/iu;

const splitQuestion = (question: string): readonly string[] => {
  const parts = question.split(joined).filter((part) => toTerms(part).size >= 2);
  return parts.some((part) => leans.test(part)) ? [] : parts;
};

const between =
  /(?:difference between|compare|unterschied zwischen|vergleiche|différence entre|compare[rz]?|diferencia entre|compara|differenza tra|confronta|разница между|сравни)\s+(.+?)\s+(?:and|with|to|und|mit|et|avec|y|con|e|и|с)\s+(.+)$/iu;
const versus = /^(.+?)\s+(?:vs\.?|versus|gegen|contre|contra|contro|против)\s+(.+)$/iu;

const findCompared = (question: string): readonly string[] => {
  const plain = toRequest(question);
  const match = between.exec(plain) ?? versus.exec(plain);
  return match === null ? [] : match.slice(1).map((side) => toQuery(side));
};

const isSame = (a: string, b: string): boolean => {
  const [one, other] = [toTerms(a), toTerms(b)];
  return one.size === other.size && [...one].every((term) => other.has(term));
};
