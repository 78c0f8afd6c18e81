/** 1 as "1 message", 3 as "3 messages". `text` is the formatted number, if it is not the plain one. */
export const plural = (count: number, one: string, many = `${one}s`, text = String(count)): string =>
  `${text} ${count === 1 ? one : many}`;
