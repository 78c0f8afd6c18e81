import { questionLimits } from "../../../protocol/question.ts";
import { preferenceLimits } from "../../../protocol/settings/preferences.ts";
import { promptLimits } from "../../../protocol/settings/prompts.ts";
import { memoryLimits } from "../../../protocol/memory.ts";
import { projectLimits } from "../../../protocol/project/kinds.ts";
import { workspaceLimits } from "../../../protocol/workspace/limits.ts";
import { limits } from "../../../protocol/api.ts";
import { attach, tryAttach } from "../../support/attachments/attach.ts";
import { callTool, connect } from "../../support/clients/mcp.ts";
import { mintId } from "../../support/instance.ts";
import { importFile } from "../../support/transfer.ts";
import { docx } from "../bombs/hostile-files.ts";
import type { HostileSetup } from "./setup.ts";

/** A place where text from outside enters the server. */
export type Entry = {
  readonly name: string;
  /** The longest text that it accepts. */
  readonly most: number;
  readonly enter: (setup: HostileSetup, text: string) => Promise<unknown>;
};

const OUTSIDE = 2_000_000;
const script = (...lines: readonly string[]): string => lines.join("\n");
const call = (name: string, input: object): string => `call tool ${name} ${JSON.stringify(input)}`;

const project = async ({ client }: HostileSetup, instructions = ""): Promise<string> => {
  const id = mintId("project");
  await client.createProject({ body: { id, name: "Stones", instructions } });
  return id;
};

const write = async (setup: HostileSetup, path: string, text: string): Promise<string> => {
  const projectId = await project(setup);
  const op = { do: "write" as const, path, was: null, text };
  await setup.client.writeFiles({ params: { projectId }, body: { id: mintId("act"), ops: [op] } });
  return projectId;
};

const mcp =
  (how: string): Entry["enter"] =>
  async (setup, text) => {
    setup.give(text);
    await setup.say(script(call("mcp__hostile__speak", { how }), "say done"));
  };

/** A request of another program, read to its end. Refusals are answers, too. */
const post = async ({ url }: HostileSetup, path: string, body: object): Promise<void> => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  await response.text();
  if (response.status >= 500) throw new Error(`${path} answered ${response.status}`);
};

/** A file that may be refused, and a message with it. */
const readFile = async (setup: HostileSetup, name: string, bytes: Uint8Array | string): Promise<void> => {
  const uploaded = await tryAttach(setup.url, { name, bytes });
  if ("attachment" in uploaded) await setup.say("read it", {}, { attachments: [uploaded.attachment.id] });
};

/** XML has no vertical tab, the only other control character of the texts. */
const escapeXml = (text: string): string =>
  text.toWellFormed().replaceAll("\u000b", " ").replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const toDocx = (text: string): Buffer => {
  const paragraphs = escapeXml(text)
    .split("\n")
    .map((line) => `<w:p><w:r><w:t>${line}</w:t></w:r></w:p>`);
  return docx(`<w:document><w:body>${paragraphs.join("")}</w:body></w:document>`);
};

const upload = async (setup: HostileSetup, projectId: string, query: string, body: string): Promise<void> => {
  const response = await fetch(`${setup.url}/api/projects/${projectId}/uploads?${query}`, {
    method: "POST",
    headers: { "content-type": "application/octet-stream" },
    body,
  });
  const answer = await response.text();
  if (response.status !== 201) throw new Error(`${query} answered ${response.status}: ${answer}`);
};

/** Many lines, because texts are compared by lines. `shift`: where the first one ends. */
const toLines = (text: string, shift: number): string =>
  [text.slice(0, shift), ...(text.slice(shift).match(/[^]{1,25}/g) ?? [])].join("\n").toWellFormed();

export const entries: readonly Entry[] = [
  {
    name: "scraped page",
    most: OUTSIDE,
    enter: async (setup, text) => {
      setup.give(text);
      await setup.say(
        script(
          call("scrape_webpage", { urls: [`${setup.site}/page`], question: "What is granite? yes" }),
          "say done [1]",
        ),
      );
    },
  },
  {
    name: "scraped plain text",
    most: OUTSIDE,
    enter: async (setup, text) => {
      setup.give(text);
      await setup.say(script(call("scrape_webpage", { urls: [`${setup.site}/text`] }), "say done"));
    },
  },
  {
    name: "search results",
    most: OUTSIDE,
    enter: async (setup, text) => {
      setup.give(text);
      await setup.say(script(call("search_web", { query: "granite" }), "say done"));
    },
  },
  { name: "MCP result", most: OUTSIDE, enter: mcp("result") },
  { name: "MCP error", most: OUTSIDE, enter: mcp("error") },
  { name: "MCP protocol error", most: OUTSIDE, enter: mcp("protocol error") },
  { name: "MCP structured content", most: OUTSIDE, enter: mcp("structured") },
  {
    name: "MCP resource and list of resources",
    most: OUTSIDE,
    enter: async (setup, text) => {
      setup.give(text);
      const read = (input: object): string => call("mcp__hostile__read_resource", input);
      await setup.say(script(read({}), read({ uri: text.slice(0, 2000) }), "say done"));
    },
  },
  {
    name: "message",
    most: limits.messageCharacters,
    enter: (setup, text) => setup.say(text.slice(0, limits.messageCharacters)),
  },
  {
    name: "message to the built-in model",
    most: limits.messageCharacters,
    enter: async (setup, text) => {
      await setup.say(text, { model: "offline/stone" });
      await setup.say(`please remember that ${text}`.slice(0, limits.messageCharacters), { model: "offline/stone" });
    },
  },
  {
    name: "the model's answer",
    most: limits.messageCharacters - 10,
    enter: (setup, text) => setup.say(`say ${text.replaceAll("\n", " ")}`),
  },
  {
    name: "the model's search query",
    most: 400,
    enter: (setup, text) => setup.say(script(call("search_web", { query: text }), "say done")),
  },
  {
    name: "arguments of a call",
    most: 50_000,
    enter: (setup, text) => setup.say(script(call("recall", { query: text }), "say done")),
  },
  {
    name: "project instructions",
    most: projectLimits.instructionCharacters,
    enter: async (setup, text) => {
      const projectId = await project(setup, text);
      await setup.say("hello", { projectId });
    },
  },
  {
    name: "document in focus",
    most: projectLimits.bodyCharacters,
    enter: async (setup, text) => {
      const projectId = await project(setup);
      const focusId = mintId("entity");
      const op = {
        do: "create" as const,
        id: focusId,
        kind: "document" as const,
        title: text.slice(0, 300).trim() || "title",
        body: text,
      };
      await setup.client.act({ params: { projectId }, body: { id: mintId("act"), ops: [op] } });
      await setup.client.listEntities({ params: { projectId }, query: { q: text.slice(0, 200) } });
      await setup.say("hello", { projectId, focusId, mode: "focus" });
    },
  },
  {
    name: "memory",
    most: memoryLimits.fieldCharacters,
    enter: async (setup, text) => {
      const { client } = setup;
      // Refused if it looks like a secret, which is looked for first.
      await client.setMemory({ body: { id: mintId("memory"), field: "notes", value: text } }).catch(() => {});
      await setup.say("hello");
    },
  },
  {
    name: "title and search",
    most: 200,
    enter: async (setup, text) => {
      const threadId = await setup.say("hello");
      await setup.client.changeThread({ params: { threadId }, body: { id: mintId("input"), title: text } });
      await setup.client.search({ query: { q: text } });
    },
  },
  {
    name: "share and export",
    most: limits.messageCharacters,
    enter: async (setup, text) => {
      const threadId = await setup.say(text);
      await setup.client.createShare({ params: { threadId }, body: { id: mintId("share") } });
      await fetch(`${setup.url}/api/threads/${threadId}/export`).then((response) => response.text());
    },
  },
  {
    name: "attachment",
    most: OUTSIDE,
    enter: async (setup, text) => {
      const file = await attach(setup.url, { name: "notes.md", bytes: text });
      const threadId = mintId("thread");
      await setup.client.createThread({ body: { id: threadId } });
      await setup.client.sendMessage({
        params: { threadId },
        body: { id: mintId("message"), text: "read it", attachments: [file.id] },
      });
    },
  },
  {
    name: "DOCX attachment",
    most: OUTSIDE,
    enter: (setup, text) => readFile(setup, "notes.docx", toDocx(text)),
  },
  {
    name: "HTML attachment",
    most: OUTSIDE,
    enter: (setup, text) => readFile(setup, "page.html", `<title>${text}</title><article><p>${text}</p></article>`),
  },
  {
    name: "project upload",
    most: projectLimits.bodyCharacters,
    enter: async (setup, text) => {
      const projectId = await project(setup);
      await upload(setup, projectId, "name=notes.md&as=document", text);
      await upload(setup, projectId, "name=notes.md&as=file", text);
      await setup.say("hello", { projectId });
    },
  },
  {
    name: "custom instructions",
    most: preferenceLimits.instructionsCharacters,
    enter: async (setup, text) => {
      await setup.client.setPreferences({ body: { instructions: text } });
      await setup.say("hello");
      await setup.client.setPreferences({ body: { instructions: "" } });
    },
  },
  {
    name: "saved prompt",
    most: promptLimits.textCharacters,
    enter: async ({ client }, text) => {
      const id = mintId("prompt");
      const body = {
        id,
        name: id,
        text: `{{name=${text.slice(0, 1000)}}} ${text}`.slice(0, promptLimits.textCharacters),
      };
      await client.createPrompt({ body });
      await client.listPrompts({ query: { q: text.slice(0, 200) } });
      await client.deletePrompt({ params: { promptId: id } });
    },
  },
  {
    name: "answer to ask_user",
    most: questionLimits.answerCharacters,
    enter: (setup, text) =>
      setup.say(script(call("ask_user", { question: text.slice(0, 200) }), "say done"), {}, { answer: text }),
  },
  {
    name: "workspace page and its preview",
    most: workspaceLimits.fileBytes / 4,
    enter: async (setup, text) => {
      const projectId = await write(setup, "index.html", text);
      const { url } = await setup.client.openPreview({ params: { projectId }, body: {} });
      await fetch(new URL(url, setup.url)).then((response) => response.text());
    },
  },
  {
    name: "preview logs",
    most: workspaceLimits.logCharacters,
    enter: async (setup, text) => {
      const projectId = await write(setup, "index.html", "<h1>x</h1>");
      const log = { kind: "console" as const, level: "error", text, place: text.slice(0, 400), at: 1 };
      await setup.client.reportLogs({
        params: { projectId },
        body: { seq: 1, loaded: true, logs: Array.from({ length: 20 }, () => log) },
      });
      await setup.client.listLogs({ params: { projectId }, query: { q: text.slice(0, 200) } });
      await setup.say(script(call("read_console_logs", { search: "" }), "say done"), {
        projectId,
        profile: "builder",
      });
    },
  },
  {
    name: "workspace file, search and edit",
    most: workspaceLimits.fileBytes / 4,
    enter: async (setup, text) => {
      const projectId = await write(setup, "src/a.ts", text);
      const edit = {
        file_path: "src/a.ts",
        search: text.slice(0, 2000),
        first_replaced_line: 1,
        last_replaced_line: 1,
        replace: "x",
      };
      await setup.say(
        script(
          call("search_files", { query: "a+b", include_pattern: "**/*" }),
          call("view_file", { file_path: "src/a.ts" }),
          call("replace_lines", edit),
          "say done",
        ),
        { projectId, profile: "builder" },
      );
    },
  },
  {
    name: "file written over, with its diff",
    most: limits.messageCharacters / 4,
    enter: async (setup, text) => {
      const projectId = await write(setup, "src/a.ts", toLines(text, 25));
      const change = { file_path: "src/a.ts", content: toLines(text, 3) };
      await setup.say(script(call("view_file", { file_path: "src/a.ts" }), call("write_file", change), "say done"), {
        projectId,
        profile: "builder",
      });
    },
  },
  {
    name: "imported thread",
    most: OUTSIDE / 4,
    enter: async (setup, text) => {
      const messages = ["system", "user", "assistant"].map((role) => ({ role, content: text }));
      await importFile(setup.url, "chat.json", JSON.stringify({ title: text.slice(0, 500), messages }));
      const { lines } = await importFile(setup.url, "chat.md", `# ${text}\n\n## User\n\n${text}`);
      const threadId = lines.find(({ kind }) => kind === "thread")?.target;
      if (threadId !== undefined) await setup.client.search({ query: { q: text.slice(0, 200) } });
    },
  },
  {
    name: "OpenAI's API",
    most: limits.messageCharacters / 2,
    enter: async (setup, text) => {
      const tools = [
        { type: "function", function: { name: "look", description: text.slice(0, 1000), parameters: {} } },
      ];
      const messages = [
        { role: "system", content: text },
        { role: "user", content: text },
        { role: "assistant", content: text },
        { role: "user", content: `say ${text.replaceAll("\n", " ")}` },
      ];
      await post(setup, "/v1/chat/completions", { model: "scripted/script", messages, tools, user: text.slice(0, 60) });
      await post(setup, "/v1/responses", { model: "scripted/script", input: text, instructions: text });
    },
  },
  {
    name: "AI SDK chat",
    most: limits.messageCharacters,
    enter: (setup, text) => {
      const messages = [{ id: mintId("message"), role: "user", parts: [{ type: "text", text }] }];
      return post(setup, "/api/chat", { id: mintId("thread"), trigger: "submit-message", messages });
    },
  },
  {
    name: "MCP client",
    most: limits.messageCharacters,
    enter: async (setup, text) => {
      const client = await connect(setup);
      await callTool(client, "ask", { question: text });
      await callTool(client, "search", { query: text.slice(0, 400) });
    },
  },
];
