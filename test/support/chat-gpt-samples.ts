import type { ExpectedThread } from "./chat-exports.ts";
import { at } from "./chat-samples.ts";

type Node = { id: string; parent: string | null; children: string[]; message: object | null };
type GptMessage = {
  readonly role: string;
  readonly content: object;
  readonly more?: object;
  readonly name?: string;
};
const gptNode = (id: string, parent: string | null, children: string[], said: GptMessage | null): Node => ({
  id,
  parent,
  children,
  message: said && {
    id,
    author: { role: said.role, name: said.name ?? null, metadata: {} },
    create_time: at + id.length,
    content: said.content,
    status: "finished_successfully",
    weight: 1,
    recipient: "all",
    metadata: said.role === "assistant" ? { model_slug: "gpt-4o" } : {},
    ...said.more,
  },
});
const text = (...parts: readonly unknown[]) => ({ content_type: "text", parts });

const toMapping = (nodes: readonly Node[]) => Object.fromEntries(nodes.map((node) => [node.id, node]));

export const gptThread = {
  title: "Granite and basalt",
  create_time: at,
  update_time: at + 500.25,
  conversation_id: "6650c1f2-0000-8000-a000-000000000001",
  current_node: "a2-edited",
  default_model_slug: "gpt-4o",
  is_archived: false,
  mapping: toMapping([
    gptNode("root", null, ["sys"], null),
    gptNode("sys", "root", ["u1"], {
      role: "system",
      content: text(""),
      more: { metadata: { is_visually_hidden_from_conversation: true } },
    }),
    gptNode("u1", "sys", ["a1-call"], { role: "user", content: text("What is granite?") }),
    gptNode("a1-call", "u1", ["a1-result"], {
      role: "assistant",
      content: { content_type: "code", language: "python", text: "print(6 * 7)" },
      more: { recipient: "python" },
    }),
    gptNode("a1-result", "a1-call", ["a1-think"], {
      role: "tool",
      name: "python",
      content: { content_type: "execution_output", text: "42" },
    }),
    gptNode("a1-think", "a1-result", ["a1"], {
      role: "assistant",
      content: { content_type: "thoughts", thoughts: [{ summary: "Rocks", content: "Think of quartz." }] },
    }),
    gptNode("a1", "a1-think", ["u2", "u2-edited"], { role: "assistant", content: text("Granite is a rock.") }),
    gptNode("u2", "a1", ["a2"], { role: "user", content: text("And slate?") }),
    gptNode("a2", "u2", [], { role: "assistant", content: text("Slate splits.") }),
    gptNode("u2-edited", "a1", ["a2-edited"], {
      role: "user",
      content: {
        content_type: "multimodal_text",
        parts: [
          {
            content_type: "image_asset_pointer",
            asset_pointer: "file-service://file-Abc123",
            size_bytes: 90,
            width: 2,
            height: 2,
          },
          "And basalt, as in this picture?",
        ],
      },
      more: { metadata: { attachments: [{ id: "file-Abc123", name: "basalt.png", mime_type: "image/png" }] } },
    }),
    gptNode("a2-edited", "u2-edited", [], { role: "assistant", content: text("Basalt is dark.") }),
  ]),
};

export const gptExpected: ExpectedThread = {
  title: "Granite and basalt",
  texts: ["What is granite?", "Granite is a rock.", "And basalt, as in this picture?", "Basalt is dark."],
  rest: ["And slate?", "Slate splits."],
  models: ["gpt-4o"],
  createdAt: at * 1000,
  files: ["basalt.png"],
  tools: [{ name: "python", output: "42" }],
  reasoning: ["Rocks\n\nThink of quartz."],
};

const page = { title: "Granite page", url: "https://example.com/granite", snippet: "hard" };
const mark = "\ue200cite\ue202turn0search0\ue201";

/** Search, citations, drawn pictures, voice and hidden context. */
export const gptTools = {
  title: "With tools",
  conversation_id: "6650c1f2-0000-8000-a000-000000000002",
  current_node: "t-last",
  mapping: toMapping([
    gptNode("t-root", null, ["t-context"], null),
    gptNode("t-context", "t-root", ["t-voice"], {
      role: "user",
      content: { content_type: "user_editable_context", user_profile: "A mason.", user_instructions: "Be brief." },
      more: { metadata: { is_user_system_message: true, is_visually_hidden_from_conversation: true } },
    }),
    gptNode("t-voice", "t-context", ["t-search"], {
      role: "user",
      content: {
        content_type: "multimodal_text",
        parts: [{ content_type: "audio_transcription", text: "How hard is granite?" }],
      },
    }),
    gptNode("t-search", "t-voice", ["t-found"], {
      role: "assistant",
      content: { content_type: "code", language: "unknown", text: '{"search_query":[{"q":"granite"}]}' },
      more: { recipient: "web.run" },
    }),
    gptNode("t-found", "t-search", ["t-code"], {
      role: "tool",
      name: "web.run",
      content: text(""),
      more: { metadata: { search_result_groups: [{ type: "search_result_group", entries: [page] }] } },
    }),
    gptNode("t-code", "t-found", ["t-drawn"], {
      role: "assistant",
      content: { content_type: "code", language: "python", text: "plot()" },
      more: { recipient: "python" },
    }),
    gptNode("t-drawn", "t-code", ["t-last"], {
      role: "tool",
      name: "python",
      content: { content_type: "execution_output", text: "drawn" },
      more: {
        metadata: {
          aggregate_result: { messages: [{ message_type: "image", image_url: "file-service://file-Plot7" }] },
        },
      },
    }),
    gptNode("t-last", "t-drawn", [], {
      role: "assistant",
      content: text(`Very hard. ${mark} Look.\ue200nav\ue202x\ue201`),
      more: {
        metadata: {
          content_references: [
            { matched_text: mark, type: "grouped_webpages", alt: `([${page.title}](${page.url}))`, items: [page] },
          ],
          citations: [{ metadata: { type: "webpage", title: "Old", url: "https://example.com/old" } }],
        },
      },
    }),
  ]),
};

/** Odd: a cycle, a missing parent, nulls, an unknown content, deleted nodes, unusual Unicode, a huge text, no title. */
export const HUGE = "huge granite ".repeat(80_000);
export const gptOdd = {
  title: null,
  create_time: null,
  mapping: {
    ...toMapping([
      gptNode("q", "deleted-node", ["r"], {
        role: "user",
        content: text("Zalgo: z̸̢̛a 👨‍👩‍👧‍👦 \u202e", null, 7, "second part"),
      }),
      gptNode("r", "q", ["s"], { role: "assistant", content: { content_type: "hologram", shape: "cube" } }),
      gptNode("s", "r", [], { role: "assistant", content: text(HUGE) }),
      gptNode("loop-a", "loop-b", ["loop-b"], { role: "user", content: text("first in the circle") }),
      gptNode("loop-b", "loop-a", ["loop-a"], { role: "assistant", content: text("second in the circle") }),
      gptNode("no-content", "s", [], null),
    ]),
    broken: null,
    empty: {},
    wrong: { message: { author: null, content: { content_type: "text", parts: "not a list" } }, parent: 7 },
  },
};
