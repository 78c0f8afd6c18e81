import { deflateSync, crc32 } from "node:zlib";
import { writeZip } from "../../server/workspace/zip.ts";

/** A small PNG of one color. */
export function makePng(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
  const pixels = deflateSync(Buffer.alloc(14, 120));
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  return Buffer.concat([mark, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

export const toZip = (files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> =>
  writeZip(Object.entries(files).map(([path, content]) => ({ path, bytes: Buffer.from(content) })));

export const at = 1_700_000_000;

export const claudeThread = {
  uuid: "11111111-2222-4333-8444-555555555555",
  name: "Slate roofs",
  created_at: "2024-03-01T10:00:00.000000Z",
  updated_at: "2024-03-01T11:00:00.000000Z",
  account: { uuid: "someone" },
  project: { uuid: "99999999-2222-4333-8444-555555555555" },
  chat_messages: [
    {
      uuid: "c-1",
      text: "How long do slate roofs last?",
      content: [{ type: "text", text: "How long do slate roofs last?" }],
      sender: "human",
      created_at: "2024-03-01T10:00:00.000000Z",
      parent_message_uuid: "00000000-0000-4000-8000-000000000000",
      attachments: [{ file_name: "roof.txt", file_size: 11, file_type: "txt", extracted_content: "slate notes" }],
      files: [{ file_name: "photo.jpg" }],
    },
    {
      uuid: "c-2",
      text: "",
      content: [
        { type: "thinking", thinking: "Decades, surely." },
        { type: "tool_use", id: "tu", name: "web_search", input: { query: "slate" } },
        {
          type: "tool_result",
          tool_use_id: "tu",
          name: "web_search",
          content: [{ type: "knowledge", title: "Roofs", url: "https://example.com/roofs", text: "a century" }],
        },
        { type: "text", text: "About a century." },
        { type: "flag", flag: "odd" },
      ],
      sender: "assistant",
      created_at: "2024-03-01T10:00:05.000000Z",
      parent_message_uuid: "c-1",
      attachments: [],
      files: [],
    },
    {
      uuid: "c-voice",
      text: "",
      content: [{ type: "voice_note", title: "Note", text: "Spoken words" }],
      sender: "human",
      parent_message_uuid: "c-2",
    },
    { uuid: "c-3", text: "Only the text field", sender: "human", created_at: null, parent_message_uuid: "c-voice" },
    { uuid: "c-3", text: "The same id again", sender: "human", parent_message_uuid: "c-2" },
    null,
  ],
};

export const libreThread = {
  conversationId: "libre-1",
  endpoint: "openAI",
  title: "Marble",
  exportAt: "10:00:00 GMT+0000",
  branches: true,
  recursive: false,
  options: { model: "gpt-4.1-mini" },
  messages: [
    {
      messageId: "l1",
      parentMessageId: "00000000-0000-0000-0000-000000000000",
      text: "Where is marble from?",
      isCreatedByUser: true,
      sender: "User",
      createdAt: "2024-05-01T08:00:00Z",
    },
    {
      messageId: "l2",
      parentMessageId: "l1",
      text: "",
      content: [
        { type: "think", think: "Carrara comes to mind." },
        { type: "tool_call", tool_call: { id: "t", name: "maps", args: '{"q":"Carrara"}', output: "Tuscany" } },
        { type: "text", text: { value: "From Carrara." } },
      ],
      isCreatedByUser: false,
      model: "gpt-4.1-mini",
      createdAt: "2024-05-01T08:00:05Z",
    },
    {
      messageId: "l2b",
      parentMessageId: "l1",
      text: "From Paros.",
      isCreatedByUser: false,
      model: "other",
      createdAt: "2024-05-01T08:01:00Z",
    },
  ],
};

export const libreNested = {
  conversationId: "libre-2",
  title: "Nested",
  recursive: true,
  messages: [
    {
      messageId: "n1",
      text: "outer",
      isCreatedByUser: true,
      children: [{ messageId: "n2", text: "inner", isCreatedByUser: false, model: "m", children: [] }],
    },
  ],
};

/** The recursive export of older versions. */
export const libreTree = {
  conversationId: "libre-3",
  title: "Tree",
  recursive: true,
  messagesTree: [
    {
      messageId: "k1",
      text: "top",
      isCreatedByUser: true,
      children: [
        {
          messageId: "k2",
          text: "leaf",
          isCreatedByUser: false,
          content: [{ type: "image_file", image_file: { file_id: "f", filename: "vein.png" } }],
          children: [],
        },
      ],
    },
  ],
};

export const openWebUiThread = {
  id: "owui-1",
  user_id: "u",
  title: "Limestone",
  archived: true,
  pinned: true,
  created_at: at,
  updated_at: at + 60,
  chat: {
    title: "Limestone",
    models: ["llama3:8b"],
    params: { system: "Be brief." },
    history: {
      currentId: "o3",
      messages: {
        o1: {
          id: "o1",
          parentId: null,
          childrenIds: ["o2", "o3"],
          role: "user",
          content: "Is limestone soft?",
          timestamp: at,
          files: [{ type: "image", url: `data:image/png;base64,${makePng().toString("base64")}`, name: "lime.png" }],
        },
        o2: {
          id: "o2",
          parentId: "o1",
          childrenIds: [],
          role: "assistant",
          content: "Hard to say.",
          model: "llama3:8b",
          timestamp: at + 1,
        },
        o3: {
          id: "o3",
          parentId: "o1",
          childrenIds: [],
          role: "assistant",
          content:
            '<details type="reasoning" done="true" duration="2">\n<summary>Thought</summary>\n&gt; Mohs &lt; 4.\n</details>\n' +
            '<details type="tool_calls" done="true" id="call_a" name="scratch" arguments="&quot;{\\&quot;with\\&quot;: \\&quot;a nail\\&quot;}&quot;" ' +
            'result="&quot;a groove&quot;" files="">\n<summary>Tool Executed</summary>\n</details>\n' +
            '<details type="code_interpreter" done="true" output="{&quot;stdout&quot;: &quot;3&quot;}">\n<summary>Analyzed</summary>\n```python\nprint(3)\n```\n</details>\n' +
            "Quite soft.",
          model: "llama3:8b",
          timestamp: at + 2,
        },
      },
    },
    messages: [],
  },
};

export const plainThread = {
  title: "Plain",
  messages: [
    { role: "system", content: "You know rocks." },
    {
      role: "user",
      content: [
        { type: "text", text: "See:" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${makePng().toString("base64")}` } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "weigh", arguments: '{"kg":2}' } }],
    },
    { role: "tool", tool_call_id: "c1", content: "2 kg" },
    { role: "assistant", content: "It weighs 2 kg." },
  ],
};

export const markdown = `---
title: "Chalk: a talk"
created: 2024-01-02T03:04:05Z
---

# Ignored heading

## You, 2024-01-02 03:04 UTC

What is chalk?

\`\`\`
## Assistant
not a heading
\`\`\`

## Assistant (some/model), 2024-01-02 03:05 UTC

A soft stone.

## You are reading a heading

still the answer
`;
