/** Error texts for a prompt that does not fit: see the table in docs/providers.md. */
const tooLongTexts = [
  /context[ _-]?(?:length|window|size|limit)/i,
  /maximum (?:context|prompt|model|input|allowed|sequence) (?:length|tokens)/i,
  /max_(?:model_len|seq_len|total_tokens|input_length|context)/i,
  /too many (?:input |prompt )?tokens/i,
  /(?:prompt|input|request|message)s? (?:is |are |was )?too (?:long|large)/i,
  /too large for model/i,
  /input token count|input length|prompt length|exceed_context_size/i,
  /exceeds? the (?:available|maximum|model)[^.]{0,40}(?:tokens?|length|context)/i,
  /longer than the (?:maximum|model)/i,
  /(?:inputs|input|prompt)[`'"]? (?:tokens|must have less than)/i,
  /reduce (?:the length|your (?:message|prompt|input))/i,
  /request_too_large|string_above_max_length|physical batch size/i,
  /shorter (?:input|prompt)/i,
] as const;

export const isTooLong = (words: string): boolean => tooLongTexts.some((pattern) => pattern.test(words));

/** Patterns for the window size in such a text; the first match counts. */
const windowTexts = [
  /n_ctx\D{0,10}(\d[\d,]{2,8})/i,
  /max_(?:model_len|seq_len|total_tokens|input_length)\D{0,20}(\d[\d,]{2,8})/i,
  /(?:\d|tokens) > ?(\d[\d,]{2,8})/i,
  /(?:context (?:length|size|window|limit)|maximum (?:prompt|model|allowed|input|sequence) length)(?:[ :(=]|of|is|only){0,6}(\d[\d,]{2,8})/i,
  /must be <= ?(\d[\d,]{2,8})/i,
  /less than (\d[\d,]{2,8}) tokens/i,
  /(\d[\d,]{2,8}) (?:maximum|tokens? (?:limit|maximum))/i,
  /tokens allowed \((\d[\d,]{2,8})/i,
  /limit(?: is|:)? (\d[\d,]{2,8})/i,
] as const;

/** Smaller numbers are not a window size. */
const MIN_WINDOW = 256;

export const findWindow = (words: string): number | undefined => {
  for (const pattern of windowTexts) {
    const found = Number(pattern.exec(words)?.[1]?.replaceAll(",", ""));
    if (found >= MIN_WINDOW) return found;
  }
  return undefined;
};
