/** The marks of our own blocks in a prompt. */
const MARKS = /<(?=\/?(?:context|recall|update|now|project-digest|project-instructions|workspace-digest)\b)/gi;

/** Our own marks inside of what is quoted would end the quotation. */
export const quoteMarks = (text: string): string => text.replaceAll(MARKS, "&lt;");
