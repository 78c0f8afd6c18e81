import { gptThread, gptExpected, HUGE, gptOdd, gptTools } from "./chat-gpt-samples.ts";
import {
  at,
  claudeThread,
  libreThread,
  libreNested,
  libreTree,
  openWebUiThread,
  plainThread,
  markdown,
  makePng,
  toZip,
} from "./chat-samples.ts";

/**
 * Exports of other chat programs in their documented shapes, and odd ones. Every text that must be found again is listed, in the
 * order of its path; `rest` are texts on other branches.
 */
export type ChatExport = {
  readonly name: string;
  readonly content: string | Buffer;
  readonly threads: readonly ExpectedThread[];
  /** Each must be in a line of the report. */
  readonly notes?: readonly RegExp[];
};
export type ExpectedThread = {
  readonly title: string;
  readonly texts: readonly string[];
  readonly rest?: readonly string[];
  readonly models?: readonly string[];
  readonly createdAt?: number;
  readonly files?: readonly string[];
  readonly tools?: readonly { readonly name: string; readonly output: string | object }[];
  readonly reasoning?: readonly string[];
  readonly sources?: readonly string[];
  readonly notices?: readonly string[];
};

export async function listExports(): Promise<Readonly<Record<string, ChatExport>>> {
  const chatGpt = JSON.stringify([gptThread]);
  return {
    "ChatGPT, zip with a picture": {
      name: "chatgpt.zip",
      content: await toZip({
        "conversations.json": chatGpt,
        "file-Abc123-basalt.png": makePng(),
        "unused.bin": Buffer.from([1, 2, 3]),
        "user.json": '{"id":"user-1","email":"someone@example.com"}',
      }),
      threads: [gptExpected],
      notes: [/unused\.bin/, /user\.json.*id, email/],
    },
    "ChatGPT, the JSON alone": {
      name: "conversations.json",
      content: chatGpt,
      threads: [{ ...gptExpected, files: [] }],
    },
    "ChatGPT, odd": {
      name: "odd.json",
      content: JSON.stringify([gptOdd, null, 7, { unknown: true }]),
      threads: [
        {
          title: "Zalgo: z̸̢̛a 👨‍👩‍👧‍👦 \u202e second part",
          texts: ["first in the circle", "second in the circle"],
          rest: ["Zalgo: z̸̢̛a 👨‍👩‍👧‍👦 \u202e\n\nsecond part", HUGE],
        },
      ],
      notes: [/not in the file/, /in a cycle/, /hologram/, /a null/, /a number/, /an object with unknown/],
    },
    "ChatGPT, with tools": {
      name: "tools.zip",
      content: await toZip({
        "conversations-000.json": JSON.stringify([gptTools]),
        "file-Plot7-1c2d.png": makePng(),
      }),
      threads: [
        {
          title: "With tools",
          texts: ["How hard is granite?", "Very hard. ([Granite page](https://example.com/granite)) Look."],
          files: ["file-Plot7-1c2d.png"],
          tools: [
            { name: "web_run", output: "Granite page – https://example.com/granite – hard" },
            { name: "python", output: "drawn" },
          ],
          sources: ["https://example.com/granite", "https://example.com/old"],
          notices: ["A mason.", "Be brief."],
        },
      ],
    },
    "Claude, zip with projects and memories": {
      name: "claude.zip",
      content: await toZip({
        "conversations.json": JSON.stringify([claudeThread]),
        "projects/99999999-2222-4333-8444-555555555555.json": JSON.stringify({
          uuid: "99999999-2222-4333-8444-555555555555",
          name: "Roofing",
          description: "Roofs",
          prompt_template: "Talk about roofs.",
          docs: [{ uuid: "d", filename: "prices.md", content: "Slate costs." }],
        }),
        "memories.json": JSON.stringify([{ conversations_memory: "Lives under a slate roof.\n\nLikes stones." }]),
        "users.json": '[{"uuid":"someone","full_name":"Some One"}]',
      }),
      threads: [
        {
          title: "Slate roofs",
          texts: ["How long do slate roofs last?", "About a century.", "Spoken words", "Only the text field"],
          rest: ["The same id again"],
          createdAt: Date.UTC(2024, 2, 1, 10),
          files: ["roof.txt"],
          tools: [{ name: "web_search", output: "Roofs\nhttps://example.com/roofs\na century" }],
          reasoning: ["Decades, surely."],
        },
      ],
      notes: [/flag/, /id of another message/, /no object/, /uuid, full_name/],
    },
    LibreChat: {
      name: "libre.json",
      content: JSON.stringify(libreThread),
      threads: [
        {
          title: "Marble",
          texts: ["Where is marble from?", "From Paros."],
          rest: ["From Carrara."],
          models: ["other"],
          tools: [{ name: "maps", output: "Tuscany" }],
          reasoning: ["Carrara comes to mind."],
        },
      ],
    },
    "LibreChat, nested": {
      name: "nested.json",
      content: JSON.stringify(libreNested),
      threads: [{ title: "Nested", texts: ["outer", "inner"], models: ["m"] }],
    },
    "LibreChat, a tree": {
      name: "tree.json",
      content: JSON.stringify(libreTree),
      threads: [{ title: "Tree", texts: ["top", "leaf"], notices: ["The file vein.png was not in the import."] }],
    },
    "Open WebUI": {
      name: "owui.json",
      content: JSON.stringify([openWebUiThread]),
      threads: [
        {
          title: "Limestone",
          texts: ["Is limestone soft?", "Quite soft."],
          rest: ["Hard to say."],
          models: ["llama3:8b"],
          createdAt: at * 1000,
          files: ["lime.png"],
          reasoning: ["Mohs < 4."],
          tools: [
            { name: "scratch", output: "a groove" },
            { name: "code_interpreter", output: { stdout: "3" } },
          ],
        },
      ],
      notes: [/system prompt/],
    },
    "plain JSON": {
      name: "plain.json",
      content: JSON.stringify(plainThread),
      threads: [
        {
          title: "Plain",
          texts: ["See:", "It weighs 2 kg."],
          files: ["file.png"],
          tools: [{ name: "weigh", output: "2 kg" }],
        },
      ],
    },
    "plain JSON, a list of messages": {
      name: "talk.json",
      content: JSON.stringify([
        { role: "user", content: "bare question" },
        { role: "assistant", content: "bare answer" },
      ]),
      threads: [{ title: "talk", texts: ["bare question", "bare answer"] }],
    },
    Markdown: {
      name: "chalk.md",
      content: markdown,
      threads: [
        {
          title: "Chalk: a talk",
          texts: [
            "What is chalk?\n\n```\n## Assistant\nnot a heading\n```",
            "A soft stone.\n\n## You are reading a heading\n\nstill the answer",
          ],
          models: ["some/model"],
          createdAt: Date.UTC(2024, 0, 2, 3, 4, 5),
        },
      ],
    },
    "Markdown without speakers": {
      name: "notes.md",
      content: "Just some notes.\n\nOn two lines.",
      threads: [{ title: "notes", texts: ["Just some notes.\n\nOn two lines."] }],
    },
  };
}
