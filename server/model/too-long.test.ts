import { expect, test } from "vitest";
import { findWindow, isTooLong } from "./too-long.ts";

test.each([
  ["request (9210 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096],
  ["the request exceeds the available context size n_ctx 4096", 4096],
  ["This model's maximum context length is 4,096 tokens. However, you requested 9500 tokens", 4096],
  ["The decoder prompt (length 9210) is longer than the maximum model length of 4096.", 4096],
  ["You passed 9210 input tokens. However, the model's context length is only 4096 tokens", 4096],
  ["The input (9210 tokens) is longer than the model's context length (4096 tokens).", 4096],
  ["Input length (9210 tokens) exceeds the maximum allowed length (4090 tokens).", 4090],
  ["Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9210", 4096],
  ["`inputs` must have less than 4095 tokens. Given: 9210", 4095],
  ["This model's maximum prompt length is 4096 but the request contains 9210 tokens.", 4096],
  ["Prompt length 9210 is greater than max_seq_len 4096", 4096],
  ["the model is loaded with context length of only 4096 tokens, which is not enough", 4096],
  ["Prompt contains 9210 tokens, too large for model with 4096 maximum context length", 4096],
  ["Request too large on tokens per minute (TPM): Limit 4096, Requested 9210", 4096],
  ["The prompt is too long: 9210, model maximum context length: 4095", 4095],
  ["prompt is too long: 210000 tokens > 200000 maximum", 200_000],
  ["input length and `max_tokens` exceed context limit: 190000 + 21333 > 204798", 204_798],
  ["The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1_048_576],
  ["the input length exceeds the context length", undefined],
])("%s", (words, window) => {
  expect(isTooLong(words)).toBe(true);
  expect(findWindow(words)).toBe(window);
});

test.each(["Unrecognized argument: foo", "Invalid image", "temperature must be between 0 and 2", "No endpoints found"])(
  "%s is about something else",
  (words) => {
    expect(isTooLong(words)).toBe(false);
  },
);
