import { define } from "./language.ts";
import { plural } from "./plural.ts";

const states = {
  "input-streaming": "preparing",
  ready: "waiting",
  asking: "needs approval",
  running: "running",
  ok: "done",
  error: "failed",
  denied: "denied",
  cancelled: "canceled",
  unknown: "outcome unknown",
};

const searchProviders: Readonly<Record<string, string>> = {
  brave: "Brave",
  duckduckgo: "DuckDuckGo",
  firecrawl: "Firecrawl",
  openrouter: "OpenRouter",
  searxng: "SearXNG",
  serpapi: "SerpAPI",
  tavily: "Tavily",
};

export const toolCards = define("toolCards", {
  /** The name of a tool with what it was called with. */
  nameWith: (tool: string, subject: string) => `${tool}: ${subject}`,
  states,
  frame: {
    label: (name: string) => `Tool ${name}`,
    input: "Input",
    output: "Output",
    details: "Input and output",
    error: "Error for the model",
    noTool: "The model called a tool that does not exist.",
    badCall: "The model called this tool incorrectly.",
    progress: "Progress",
    doneOf: (done: number, total: number) => `${done} of ${total}`,
  },
  approval: {
    needed: "Needs your approval.",
    details: "Details",
    input: "Input",
    decision: "Your decision",
    allowOnce: "Allow once",
    allowInThread: "Allow in this thread",
    deny: "Deny",
    reason: "Reason (optional)",
    sending: "Sending…",
    sent: "Your decision was sent.",
  },
  question: {
    heading: "The model asks you",
    headingOf: (server: string) => `The MCP server ${server} asks you`,
    carefulOf: "The server gets your answer. Do not enter passwords or keys.",
    careful: "The question may repeat it. Do not enter passwords or keys.",
    send: "Answer",
    skip: "Skip",
    other: "Other answer",
    otherOf: (label: string) => `Other answer: ${label}`,
    required: "(required)",
    yes: "Yes",
    no: "No",
    sending: "Sending…",
    sent: "Your answer was sent.",
    skipped: "skipped",
    answers: "Your answers",
  },
  /** The server's sentence is written for the model. */
  denied: (text: string) => text.replace(/^The user denied this call/, "You denied this"),
  secrets: {
    hidden: (count: number) => `${plural(count, "secret")} hidden`,
    hide: "Hide",
    reveal: "Reveal",
    revealed: "Revealed secrets",
  },
  /** Current activity of a running answer. */
  stage: {
    waiting: (count: number) => (count === 1 ? "Waiting for approval" : `${count} tool calls are waiting for approval`),
    question: "Waiting for your answer",
    andMore: (activity: string, count: number) => `${activity}, and ${count} more`,
    thinking: "Thinking…",
  },
  /** Phrases that are joined to a list such as "Read 4 pages, 3 searches, 1 failed". */
  summary: {
    pages: (count: number) => `read ${plural(count, "page")}`,
    searches: (count: number) => plural(count, "search", "searches"),
    changed: (count: number) => `changed ${plural(count, "file")}`,
    viewed: (count: number) => `viewed ${plural(count, "file")}`,
    others: (count: number) => plural(count, "other call"),
    times: (tool: string, count: number) => `${tool} ${count} times`,
    failed: (count: number) => `${count} failed`,
    denied: (count: number) => `${count} denied`,
    calls: (count: number) => plural(count, "call"),
  },
  plan: {
    list: "Planned searches",
    done: "Searched",
    open: "Not yet searched",
    doneOf: (done: number, total: number) => `${done} of ${total}`,
  },
  search: {
    providers: searchProviders,
    query: (query: string) => `“${query}”`,
    results: "Results",
    unreachable: "No search provider could be reached.",
    setUp: "Set up web search",
    resultCount: (count: number) => (count === 0 ? "no results" : plural(count, "result")),
    failed: (count: number) => `${count} failed`,
    providersFailed: (count: number) => `${plural(count, "provider")} failed`,
  },
  pages: {
    list: "Pages",
    openArtifact: "Open saved copy",
    read: (count: number) => (count === 0 ? "Read pages" : `Read ${plural(count, "page")}`),
    unreadable: (count: number) => `${count} could not be read`,
    readHost: (host: string) => `Read ${host}`,
    readPage: "Read a page",
    readingHost: (host: string) => `Reading ${host}`,
    readingPage: "Reading a page",
  },
  memory: {
    list: "Changes",
    changedTo: "changed to",
    forgotten: "forgotten",
    undone: "Undone",
    undoOf: (field: string) => `Undo the change to ${field}`,
  },
  weather: {
    title: (place: string) => `Weather in ${place}`,
    simulated: "simulated",
    temperature: (degrees: string) => `${degrees} °C`,
    forecast: "Forecast",
    range: (min: string, max: string) => `${min} to ${max} °C`,
  },
});

/** Titles of calls whose tool gives none; other tools are titled by their name. */
export const toolTitles: Readonly<Record<string, string>> = define("toolTitles", {
  plan_research: "Plan the research",
  search_web: "Search the web",
  scrape_webpage: "Read pages",
  working_memory: "Remember",
  read_artifact: "Read a saved copy",
  now: "Check the time",
  ask_user: "Ask a question",
  find_tools: "Look for a tool",
});
