import type { Response } from "../../protocol/api.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import type { Part, PartOf } from "../../protocol/parts.ts";

/** Parts of a research answer, for stub threads. */
type ToolPart = PartOf<"tool">;

export const at = 1_790_000_000_000;

/** The stub thread as a list entry. */
export const listed: ThreadSummary = {
  id: "stub-thread",
  title: "Tides at the coast",
  preview: "",
  profile: "stone",
  model: "scripted/script",
  status: "idle",
  pinned: false,
  archived: false,
  messageCount: 2,
  createdAt: at,
  updatedAt: at,
  policy: null,
  effort: null,
  projectId: null,
  focusId: null,
  mode: null,
  temporary: false,
  seenAt: 0,
};

export const tool = (n: number, name: string, part: Partial<ToolPart> = {}): ToolPart => ({
  id: `tool-${n}`,
  v: 1,
  n,
  step: n,
  kind: "tool",
  callId: `call-${n}`,
  name,
  state: "ok",
  startedAt: at + n * 1000,
  endedAt: at + n * 1000 + 1400,
  ...part,
});

export const text = (n: number, words: string, state: "streaming" | "done" = "done"): Part => ({
  id: `text-${n}`,
  v: 1,
  n,
  step: n,
  kind: "text",
  state,
  text: words,
});

export const notice = (n: number, words: string): Part => ({
  id: `notice-${n}`,
  v: 1,
  n,
  step: 1,
  kind: "notice",
  level: "warning",
  code: "unreachable",
  text: words,
});

export const step = (n: number, attempt: number): Part => ({
  id: `step-${n}`,
  v: 1,
  n,
  step: 1,
  kind: "step",
  attempt,
  model: "scripted/script",
});

export const source = (n: number, part: Partial<PartOf<"source">>): Part => ({
  id: `source-${n}`,
  v: 1,
  n,
  step: n,
  kind: "source",
  sourceType: "url",
  ...part,
});

const queries = [
  { query: "Saint-Malo tidal range", priority: 1, why: "How high it gets" },
  { query: "highest tides Brittany 2026", priority: 2, why: "When to go" },
  { query: "La Rance tidal power", priority: 3, why: "" },
];

export const plan = tool(1, "plan_research", {
  step: 1,
  title: "Plan 3 searches",
  input: { queries },
  output: { queries },
});

export const search = tool(2, "search_web", {
  step: 2,
  title: "Search the web for “Saint-Malo tidal range”",
  input: { query: "Saint-Malo tidal range" },
  output: {
    query: "Saint-Malo tidal range",
    provider: "duckduckgo",
    attempts: [{ provider: "serpapi", code: "refused", reason: "It answered 401." }],
    results: [
      { title: "Tides at Saint-Malo", url: "https://www.tides.example/saint-malo", relevance: 0.91, ref: 1 },
      { title: "A walk along the sea wall", url: "https://walks.example/st-malo", relevance: 0.32, ref: 2 },
    ],
  },
});

export const pages = tool(3, "scrape_webpage", {
  step: 3,
  input: { urls: ["https://www.tides.example/saint-malo", "https://broken.example/"] },
  output: {
    pages: [
      { url: "https://www.tides.example/saint-malo", title: "Tides at Saint-Malo", author: "A. Marin", ref: 3 },
      { url: "https://broken.example/", error: { code: "server-error", message: "The page answered 503." } },
    ],
  },
});

export const memory = tool(4, "working_memory", {
  step: 4,
  title: "Remember location: Saint-Malo",
  input: { changes: [{ field: "location", op: "replace", value: "Saint-Malo", reason: "they said so" }] },
  output: { changes: [{ changeId: "change-1", field: "location", before: "Rennes", after: "Saint-Malo" }] },
});

export const sources = [
  source(20, {
    url: "https://www.tides.example/saint-malo",
    title: "Tides at Saint-Malo",
    status: "read",
    relevance: 0.91,
    ref: 3,
  }),
  source(21, {
    url: "https://walks.example/st-malo",
    title: "A walk along the sea wall",
    status: "found",
    relevance: 0.32,
    ref: 2,
  }),
  source(22, {
    url: "https://broken.example/",
    title: "A page that broke",
    status: "failed",
    error: "The page answered 503.",
  }),
];

export const passage = "the range reaches 12 metres at spring tide";

export const artifact: Response<"getArtifact"> = {
  id: "artifact-3",
  ref: 3,
  kind: "page",
  title: "Tides at Saint-Malo",
  url: "https://www.tides.example/saint-malo",
  type: "text/html",
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  text: `# Tides\n\n${"The sea comes and goes twice a day. ".repeat(120)}\n\nAt Saint-Malo ${passage}, among the highest in Europe.\n\n<script>alert("not a script")</script>\n\n${"And again. ".repeat(200)}`,
  attachment: null,
  createdAt: at,
};

export const answer =
  "At Saint-Malo the tidal range is among the highest in Europe [3]: up to **12 metres** at spring tide [3][9]. " +
  "A walk on the wall is safe at low water [2, 3].\n\n```\nlist[3] stays code\n```";

export const citations: Part = {
  id: "citations",
  v: 1,
  n: 40,
  step: 5,
  kind: "data",
  name: "citations",
  value: [
    { ref: 3, at: [answer.indexOf("[3]"), answer.indexOf("[3]") + 3], state: "supported" },
    {
      ref: 3,
      at: [answer.indexOf("[3][9]"), answer.indexOf("[3][9]") + 3],
      state: "verified",
      quote: passage,
      span: [artifact.text.indexOf(passage), artifact.text.indexOf(passage) + passage.length],
    },
    { ref: 9, at: [answer.indexOf("[9]"), answer.indexOf("[9]") + 3], state: "missing" },
    {
      ref: 2,
      at: [answer.indexOf("[2, 3]"), answer.indexOf("[2, 3]") + 6],
      state: "unverified",
      quote: "safe at low water",
    },
    { ref: 3, at: [answer.indexOf("[2, 3]"), answer.indexOf("[2, 3]") + 6], state: "supported" },
  ],
};
