/** The marks of our own blocks in a prompt. */
const MARKS = /<(?=\/?(?:context|recall|update|now|project-digest|project-instructions|workspace-digest)\b)/gi;
/** What could begin a mark or end a line. */
const LOOSE = /[<\u0085\u2028\u2029]/g;

/** Our own marks inside of what is quoted would end the quotation. */
export const quoteMarks = (text: string): string => text.replaceAll(MARKS, "&lt;");

/** JSON in one line that holds no mark of any sort, whatever stands in its texts. It means the same. */
export const quoteJson = (value: unknown): string => JSON.stringify(value).replaceAll(LOOSE, toEscape);

/** The same for a text: what stands in it ends neither the line nor a mark around it. */
export const quoteValue = (text: string): string => quoteJson(text.toWellFormed());

const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
