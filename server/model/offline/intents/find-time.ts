import { wishFor, type Wish } from "./wish.ts";

const asks =
  /what(?:'s|’s| is)? (?:the )?(?:current )?(?:time|date|day)(?: is it| today| now|\W|$)|(?:today'?s|current) (?:date|time)|what day is|wie sp(?:ä|ae)t|uhrzeit|welche[rsn]? (?:tag|datum)|quelle heure|quel jour|qué hora|qué día|che ore|que horas|который час|сколько времени|какое сегодня|几点|幾點|今天(?:是)?(?:几|星期|什么)|何時|何日|몇 시/iu;

/** The clock may go by another of these names. */
const clocks = /^(?:now|(?:current|get)?_?(?:current)?_?(?:time|date|datetime|clock))$/;

export const findTime = (text: string, toolNames: readonly string[]): Wish | undefined => {
  if (!asks.test(text)) return undefined;
  const tool = toolNames.find((name) => clocks.test(name.toLowerCase())) ?? "now";
  const timeZone = tool === "now" ? findZone(text) : undefined;
  return wishFor(tool, timeZone === undefined ? {} : { timeZone });
};

/** A zone that is called as a place in the text. */
const findZone = (text: string): string | undefined => {
  const spoken = ` ${toWords(text)} `;
  return Intl.supportedValuesOf("timeZone").find((zone) =>
    spoken.includes(` ${toWords(zone.split("/").at(-1) ?? "")} `),
  );
};

const toWords = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
