import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Conversation, Question, Turn } from "../recall/thread.ts";

type RawTurn = {
  readonly role: "user" | "assistant";
  readonly id: number;
  readonly content: string;
  readonly time_anchor?: string;
};
type Chat = readonly { readonly turns: readonly (readonly RawTurn[])[] }[];
type Questions = Readonly<Record<string, readonly { readonly question: string; readonly source_chat_ids?: unknown }[]>>;

/** BEAM's chats; a session is one of its batches, which carry a date. Questions without a source are left out. */
export const readBeam = (folder: string): readonly Conversation[] =>
  readdirSync(folder)
    .flatMap((name) => /^(\d+)\.chat\.json\.gz$/.exec(name)?.[1] ?? [])
    .toSorted((a, b) => Number(a) - Number(b))
    .map((n) =>
      toConversation(
        `beam-${n}`,
        readJson<Chat>(join(folder, `${n}.chat.json.gz`)),
        readJson<Questions>(join(folder, `${n}.questions.json.gz`)),
      ),
    );

const readJson = <T>(file: string): T => JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as T;

function toConversation(name: string, chat: Chat, asked: Questions): Conversation {
  const turns: Turn[] = [];
  const sessions: number[] = [];
  let at = 0;
  for (const [session, batch] of chat.entries())
    for (const { role, id, content, time_anchor: anchor } of batch.turns.flat()) {
      const time = anchor === undefined ? NaN : Date.parse(`${anchor.replaceAll("-", " ")} UTC`);
      if (!Number.isNaN(time)) at = time;
      // Metadata of the dataset, not part of the chat.
      turns.push({ id: String(id), role, at, text: content.replace(/ ?->-> [\d,]+$/, "") });
      sessions.push(session);
    }
  const depthOf = new Map(turns.map(({ id }, n) => [id, n + 1]));
  const questions = Object.entries(asked).flatMap(([kind, list]) =>
    list.flatMap(({ question, source_chat_ids: source }): readonly Question[] => {
      const evidence = [...new Set(toNumbers(source).flatMap((id) => depthOf.get(String(id)) ?? []))];
      if (evidence.length === 0) return [];
      return [{ text: question, kind, evidence, corrected: evidence, isHeadline: true }];
    }),
  );
  return { name, turns, sessions, questions };
}

function toNumbers(value: unknown): readonly number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(toNumbers) : [];
}
