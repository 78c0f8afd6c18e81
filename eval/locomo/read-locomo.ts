import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Conversation, Question, Turn } from "../recall/thread.ts";

type RawTurn = {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
};
type Raw = {
  readonly conversation: Readonly<Record<string, string | readonly RawTurn[]>>;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence: readonly string[];
    readonly category: number;
  }[];
};
type Correction = {
  readonly question_id: string;
  readonly question: string;
  readonly cited_evidence: readonly string[];
  readonly correct_evidence?: readonly string[];
};

/** LoCoMo's conversations in the order of their files: the first speaker is the user, the second the assistant. */
export function readLocomo(folder: string): readonly Conversation[] {
  const files = readdirSync(folder).filter((name) => /^conv-\d+\.json\.gz$/.test(name));
  const corrections = readdirSync(folder).includes("corrections.json.gz")
    ? readJson<readonly Correction[]>(join(folder, "corrections.json.gz"))
    : [];
  const byNumber = (name: string): number => Number(/\d+/.exec(name)?.[0] ?? 0);
  return files
    .toSorted((a, b) => byNumber(a) - byNumber(b))
    .map((file) => toConversation(file.replace(".json.gz", ""), readJson<Raw>(join(folder, file)), corrections));
}

const readJson = <T>(file: string): T => JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as T;

function toConversation(name: string, { conversation, qa }: Raw, corrections: readonly Correction[]): Conversation {
  const turns: Turn[] = [];
  const sessions: number[] = [];
  const names = Object.keys(conversation).filter((key) => /^session_\d+$/.test(key));
  for (const key of names.toSorted((a, b) => Number(a.slice(8)) - Number(b.slice(8)))) {
    const at = toTime(String(conversation[`${key}_date_time`]));
    for (const { dia_id: id, speaker, text, blip_caption: caption } of conversation[key] as readonly RawTurn[]) {
      const role = speaker === conversation["speaker_a"] ? "user" : "assistant";
      turns.push({ id, role, at, text: caption === undefined ? text : `${text} [${caption}]` });
      sessions.push(Number(key.slice(8)));
    }
  }
  const depthOf = new Map(turns.map(({ id }, n) => [id, n + 1]));
  const toDepths = (ids: readonly string[]): readonly number[] => [
    ...new Set(ids.flatMap((id) => depthOf.get(id) ?? [])),
  ];
  const questions = qa.flatMap(({ question, evidence, category }): readonly Question[] => {
    const depths = toDepths(evidence);
    if (depths.length === 0) return [];
    const isSame = (one: Correction): boolean =>
      one.question === question && one.cited_evidence.join() === evidence.join();
    const corrected = toDepths(corrections.find(isSame)?.correct_evidence ?? evidence);
    return [
      {
        text: question,
        kind: `category-${category}`,
        evidence: depths,
        corrected: corrected.length === 0 ? depths : corrected,
        isHeadline: category <= 4,
      },
    ];
  });
  return { name, turns, sessions, questions };
}

/** "1:56 pm on 8 May, 2023", as of UTC. */
function toTime(text: string): number {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text) ?? [];
  const hours = (Number(hour) % 12) + (half === "pm" ? 12 : 0);
  return Date.parse(`${day} ${month} ${year} ${String(hours).padStart(2, "0")}:${minute} UTC`);
}
