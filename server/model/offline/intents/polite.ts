/** What people put around a request, in eight languages. Beginnings and ends only; what is left is the request itself. */
const spaced = [
  "hey|hi|hello|ok|okay|so|now|and|please|pls|kindly|can you|could you|would you|will you|i want you to|i would like you to|i['’]d like you to|help me(?: to)?",
  "hallo|bitte|kannst du|könntest du|können sie|könnten sie|mal",
  "bonjour|salut|s['’]il (?:te|vous) pla[iî]t|stp|svp|peux[- ]tu|pouvez[- ]vous|pourrais[- ]tu|pourriez[- ]vous",
  "hola|por favor|puedes|podrías|puede",
  "ciao|per favore|per piacere|puoi|potresti",
  "привет|пожалуйста|можешь|можете|не мог(?:ла|ли)? бы (?:ты|вы)",
].join("|");
const opening = new RegExp(`[¿¡"“]|(?:${spaced})[\\s,!:]+|(?:请你?|麻烦你?|帮我|你能不能|能不能|你能|可以)\\s*`, "iuy");
const endMarks = new Set(`?？!！.。…"”`);
const endWords = ["好吗", "可以吗", "谢谢", "ください", "下さい"];
/** Only after a space or a comma. */
const spacedEndWords =
  /(?<=[\s,])(?:please|pls|for me|thanks|thank you|bitte|danke|s['’]il (?:te|vous) pla[iî]t|merci|por favor|gracias|per favore|grazie|пожалуйста|спасибо)$/iu;
const LONGEST_END_WORD = 24;

export const toRequest = (text: string): string => dropClosing(dropOpening(text.trim())).trim();

function dropOpening(text: string): string {
  let at = 0;
  for (;;) {
    opening.lastIndex = at;
    const length = opening.exec(text)?.[0].length ?? 0;
    if (length === 0) return text.slice(at);
    at += length;
  }
}

/** Each round drops one thing at the end and reads no more than it drops, so the time is linear. */
function dropClosing(text: string): string {
  let end = text.length;
  for (;;) {
    const before = end;
    while (endMarks.has(text.charAt(end - 1))) end -= 1;
    const tail = text.slice(Math.max(0, end - LONGEST_END_WORD), end);
    const spacedWord = spacedEndWords.exec(tail)?.[0];
    end -= (spacedWord ?? endWords.find((one) => tail.endsWith(one)) ?? "").length;
    if (end === before) return text.slice(0, end);
    const between = spacedWord === undefined ? /\s/ : /[\s,]/;
    while (between.test(text.charAt(end - 1))) end -= 1;
  }
}

export const isQuestion = (text: string): boolean => {
  const trimmed = text.trim();
  return (
    /[?？؟]/u.test(trimmed) ||
    questionStart.test(trimmed) ||
    /(?:吗|呢|什么|哪|谁|多少|怎么|ですか|ますか|까요|습니까)/u.test(trimmed)
  );
};

const questionStart =
  /^(?:who|whom|whose|what|when|where|why|which|how|do|does|did|is|are|was|were|can|could|will|would|should|have|has|tell me|show me|find|wer|was|wann|wo|warum|welche|wie|qui|que|quoi|quand|où|pourquoi|comment|quel|quelle|quién|qué|cuándo|dónde|cómo|cuál|chi|che|quando|dove|come|кто|что|когда|где|почему|как|какой)(?![\p{L}\p{N}])/iu;
