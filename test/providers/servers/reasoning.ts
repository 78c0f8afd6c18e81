import { chunk, finish, text } from "../../support/chat-wire.ts";
import { events, type Scenario } from "./scenario.ts";

const half = "Stones keep words";
const WITHOUT = "The model stopped after its reasoning, without an answer. Choose Continue to ask again.";
const reasoning = (words: string) => chunk({ role: "assistant", reasoning_content: words });

/** Reasoning, in a separate field or in tags. */
export const reasoningEnds: readonly Scenario[] = [
  {
    server: "vLLM",
    name: "reasoning only",
    replies: [events(reasoning("Let me see."), finish())],
    outcome: "limit",
    sentence: WITHOUT,
    answer: "",
    calls: 1,
    reasoning: "Let me see.",
  },
  {
    server: "DeepSeek",
    name: "reasoning only, up to the output limit",
    replies: [events(reasoning("Let me see."), finish("length"))],
    outcome: "limit",
    sentence:
      "The model used its whole output limit for reasoning and gave no answer. Choose Continue to ask again, or lower the effort.",
    answer: "",
    calls: 1,
    reasoning: "Let me see.",
  },
  {
    server: "any server",
    name: "blank text only",
    replies: [events(text(" \n\n"), finish())],
    outcome: "limit",
    sentence: "The model gave an empty answer. Choose Continue to ask again.",
    answer: " \n\n",
    calls: 1,
  },
  {
    server: "DeepSeek",
    name: "reasoning, then an answer",
    replies: [events(reasoning("Let me see."), text(half), finish())],
    outcome: "done",
    sentence: null,
    answer: half,
    calls: 1,
    reasoning: "Let me see.",
  },
  ...(
    [
      ["Ollama", "in <think> tags", ["<think>Let me see.</think>\n\n", half], half, "Let me see."],
      ["Ollama", "in <thinking> tags", ["<thinking>Let me see.</thinking>", half], half, "Let me see."],
      [
        "llama.cpp",
        "in <think> tags, one character at a time",
        [..."<think>Let me see.</think> ", half],
        half,
        "Let me see.",
      ],
      [
        "LM Studio",
        "in <think> tags after a blank line",
        ["\n<think>\nLet me see.\n</think>\n", half],
        half,
        "\nLet me see.\n",
      ],
      ["TabbyAPI", "in empty <think> tags", ["<think></think>", half], half, ""],
      [
        "any server",
        "<think> in the middle of an answer is text",
        ["Use <think>", " tags</think>."],
        "Use <think> tags</think>.",
        "",
      ],
      [
        "vLLM",
        "before a closing tag without an opening one",
        ["Let me see.\n</th", "ink>\n\n", half],
        half,
        "Let me see.\n",
      ],
      [
        "any server",
        "</think> inside a line is text",
        ["The tag </think>", " ends it."],
        "The tag </think> ends it.",
        "",
      ],
      ["any server", "an answer that begins like a tag", ["<th", "ree> cheers"], "<three> cheers", ""],
    ] as const
  ).map(([server, name, deltas, answer, thought]): Scenario => ({
    server,
    name: `reasoning ${name}`,
    replies: [events(...deltas.map(text), finish())],
    outcome: "done",
    sentence: null,
    answer,
    calls: 1,
    reasoning: thought,
  })),
  {
    server: "Ollama",
    name: "a <think> tag that is never closed",
    replies: [events(text("<think>Let me "), text("see."), finish())],
    outcome: "limit",
    sentence: WITHOUT,
    answer: "",
    calls: 1,
    reasoning: "Let me see.",
  },
  {
    server: "vLLM",
    name: "tags in the content after reasoning in a separate field",
    replies: [events(reasoning("Let me see."), text("<think> is a tag"), finish())],
    outcome: "done",
    sentence: null,
    answer: "<think> is a tag",
    calls: 1,
    reasoning: "Let me see.",
  },
];
