import type { PromptMessage } from "../../protocol/model.ts";
import type { Contestant, SentPrompt, ThreadFrame } from "../contestant.ts";
import { createSession, dropOrphans, textOf, toRows, toText, type Log } from "./log.ts";
import { createSummaries } from "./summaries.ts";

/**
 * The five designs we start from, by their own rules, and three of them as they were coded: there the cap keeps the oldest.
 * Within a turn everything is in memory. They differ in how they treat earlier turns.
 */
export const TRANSCRIPT = { messages: 20, characters: 4_000 };
export const REPLAY = { messages: 25, events: 12, eventCharacters: 600, characters: 6_000 };
export const SNAPSHOT = { messages: 10, results: 5, resultCharacters: 200, summaryTokens: 300 };
export const MESSAGES = { messages: 50 };

/** Which end a cap keeps. */
type Keep = "newest" | "oldest";
const capList = <T>(list: readonly T[], most: number, keep: Keep): readonly T[] =>
  keep === "newest" ? list.slice(Math.max(0, list.length - most)) : list.slice(0, most);
const capText = (text: string, most: number, keep: Keep): string =>
  (keep === "newest" ? text.slice(Math.max(0, text.length - most)) : text.slice(0, most)).toWellFormed();

const now = ({ rows, turn }: Log): readonly PromptMessage[] =>
  rows.filter((row) => row.turn === turn).map((row) => row.message);

/** Messages before the one that is being answered. */
const earlier = (log: Log) =>
  log.messages.slice(
    0,
    log.messages.findLastIndex(({ role }) => role === "user"),
  );

const userText = (text: string): PromptMessage => ({ role: "user", text });

/** S0-10..11, 39: the last 20 messages as one string of 4,000 characters, words only. */
const transcript =
  (frame: ThreadFrame, keep: Keep) =>
  (log: Log): SentPrompt => {
    const lines = capList(earlier(log), TRANSCRIPT.messages, "newest").map(
      ({ role, parts }) => `${role === "user" ? "User" : "Assistant"}: ${textOf(parts)}`,
    );
    const told = capText(lines.join("\n"), TRANSCRIPT.characters, keep);
    const [question, ...rest] = now(log);
    const words = question?.role === "user" ? question.text : "";
    const opening = told === "" ? words : `Conversation so far:\n${told}\n\nUser query: ${words}`;
    return { system: frame.system, messages: [userText(opening), ...rest], aside: 0 };
  };

/** 25 messages as text; the tool events of their runs as lines in the system text. */
const replay =
  (frame: ThreadFrame, keep: Keep) =>
  (log: Log): SentPrompt => {
    const window = capList(earlier(log), REPLAY.messages, "newest");
    const events = window.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.kind === "tool"
          ? [
              capText(
                `${part.name}(${JSON.stringify(part.input)}) -> ${toText(part.output)}`,
                REPLAY.eventCharacters,
                "oldest",
              ),
            ]
          : [],
      ),
    );
    const block = capText(capList(events, REPLAY.events, keep).join("\n"), REPLAY.characters, keep);
    const system = block === "" ? frame.system : `${frame.system}\n\nRecent tool activity:\n${block}`;
    return { system, messages: [...toWords(window), ...now(log)], aside: 0 };
  };

const toWords = (messages: Log["messages"]): readonly PromptMessage[] =>
  messages.flatMap(({ role, parts }): readonly PromptMessage[] => {
    const text = textOf(parts);
    if (text === "") return [];
    return role === "user" ? [userText(text)] : [{ role, parts: [{ kind: "text", text }] }];
  });

/** Ten messages; the agent's state and a summary of the conversation in the system text. */
function startSnapshot(frame: ThreadFrame) {
  const summaries = createSummaries({ tokens: SNAPSHOT.summaryTokens, messages: SNAPSHOT.messages, isRolling: true });
  return createSession((log) => {
    const before = earlier(log);
    const results = before.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "tool" ? [part] : [])));
    const state = results.slice(-SNAPSHOT.results).map(({ name, output }) => ({
      tool: name,
      said: toText(output).slice(0, SNAPSHOT.resultCharacters).toWellFormed(),
    }));
    const told = { agent_state: { results: state }, conversation_summary: summaries.latest(1).join("\n") };
    const system = `${frame.system}\n\nContext:\n${JSON.stringify(told)}`;
    return {
      system,
      messages: [...toWords(before.slice(-SNAPSHOT.messages)), ...now(log)],
      aside: summaries.takeCost(),
    };
  }, summaries.update);
}

/** The last 50 rows with their calls and results, whole. */
const messages =
  (frame: ThreadFrame, keep: Keep) =>
  (log: Log): SentPrompt => {
    const before = log.rows.filter(({ turn }) => turn < log.turn).map(({ message }) => message);
    const window = dropOrphans(capList(before, MESSAGES.messages, keep));
    return { system: frame.system, messages: [...closeCalls(window), ...now(log)], aside: 0 };
  };

/** The oldest 50 may end with a call whose result is the 51st. */
function closeCalls(list: readonly PromptMessage[]): readonly PromptMessage[] {
  const last = list.at(-1);
  return last?.role === "assistant" && last.parts.some(({ kind }) => kind === "tool-call") ? list.slice(0, -1) : list;
}

/** Two summaries and working memory in the system text; four to ten messages, with their tools. */
function startSummary(frame: ThreadFrame) {
  const summaries = createSummaries({ tokens: 400, messages: 10, isRolling: false });
  return createSession((log) => {
    const told = summaries.latest(2).map((text, index) => `Summary ${index + 1}:\n${text}`);
    const system = [frame.system, ...told, "Working memory: none found"].join("\n\n");
    const since = log.messages.length - summaries.covered();
    const left = Math.max(0, log.messages.length - Math.max(4, Math.min(10, since)));
    const rows = log.rows.slice(countRows(log, left)).map((row) => row.message);
    return { system, messages: dropOrphans(rows), aside: summaries.takeCost() };
  }, summaries.update);
}

/** How many rows the first `count` messages have. */
const countRows = (log: Log, count: number): number =>
  log.messages.slice(0, count).reduce((total, { role, parts }) => total + toRows(role, parts).length, 0);

export const seeds: readonly Contestant[] = [
  {
    name: "seed-000-transcript",
    family: "seed",
    note: "last 20 messages, 4,000 characters, words only",
    start: (frame) => createSession(transcript(frame, "newest")),
  },
  {
    name: "seed-001-replay",
    family: "seed",
    note: "25 messages, 12 newest tool events of 600 characters, 6,000 in all",
    start: (frame) => createSession(replay(frame, "newest")),
  },
  {
    name: "seed-002-snapshot",
    family: "seed",
    note: "10 messages, agent state of 5 results, summary by the stand-in",
    start: startSnapshot,
  },
  {
    name: "seed-003-messages",
    family: "seed",
    note: "last 50 rows with tools",
    start: (frame) => createSession(messages(frame, "newest")),
  },
  {
    name: "seed-004-summary",
    family: "seed",
    note: "2 summaries by the stand-in, 4 to 10 messages with tools",
    start: startSummary,
  },
  {
    name: "seed-000-as-coded",
    family: "coded",
    note: "the first 4,000 characters of the 20",
    start: (frame) => createSession(transcript(frame, "oldest")),
  },
  {
    name: "seed-001-as-coded",
    family: "coded",
    note: "the 12 oldest tool events of the window",
    start: (frame) => createSession(replay(frame, "oldest")),
  },
  {
    name: "seed-003-as-coded",
    family: "coded",
    note: "the first 50 rows of the thread",
    start: (frame) => createSession(messages(frame, "oldest")),
  },
];

export const appendOnly: Contestant = {
  name: "append-only",
  family: "plain",
  note: "the whole thread, always",
  start: (frame) =>
    createSession((log) => ({ system: frame.system, messages: log.rows.map(({ message }) => message), aside: 0 })),
};
