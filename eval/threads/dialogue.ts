import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { MessageView } from "../../protocol/fold.ts";
import type { ThreadFrame } from "../contestant.ts";
import { toMessage } from "./parts.ts";
import { readGzip } from "./read-gzip.ts";

/**
 * LoCoMo conversations as threads: a turn is a message, the first speaker is the user, an image's caption counts as text.
 * Each question that has evidence is asked as the next message.
 */
export type Dialogue = ThreadFrame & {
  readonly messages: readonly MessageView[];
  readonly questions: readonly Question[];
};
export type Question = {
  readonly text: string;
  readonly category: number;
  /** The texts of the turns that hold the answer. */
  readonly evidence: readonly string[];
};

type Utterance = {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text?: string;
  readonly blip_caption?: string;
};
type StoredDialogue = {
  readonly sample_id?: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence?: readonly string[];
    readonly category: number;
  }[];
};

const SYSTEM = "You are a helpful assistant. Answer from what was said in this conversation.";

export const readDialogues = (folder: string): readonly Dialogue[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json.gz") && !name.startsWith("corrections"))
    .sort()
    .map((name) => toDialogue(name.replace(".json.gz", ""), readGzip(join(folder, name)) as StoredDialogue));

function toDialogue(id: string, { conversation, qa }: StoredDialogue): Dialogue {
  const sessions = Object.keys(conversation)
    .filter((key) => /^session_\d+$/.test(key))
    .sort((a, b) => Number(a.slice(8)) - Number(b.slice(8)));
  const said = sessions.flatMap((key) => conversation[key] as readonly Utterance[]);
  const texts = new Map(said.map((one) => [one.dia_id, toText(one)]));
  const messages = said.map((one, index) =>
    toMessage({ thread: id, depth: index + 1 }, one.speaker === conversation["speaker_a"] ? "user" : "assistant", [
      [{ kind: "text", text: toText(one) }],
    ]),
  );
  const questions = qa
    .map(({ question, category, evidence = [] }) => ({
      text: question,
      category,
      evidence: evidence.flatMap((ids) => ids.split(/[;,\s]+/)).flatMap((one) => texts.get(one) ?? []),
    }))
    .filter(({ evidence }) => evidence.length > 0);
  return { id, system: SYSTEM, tools: [], messages, questions };
}

const toText = ({ speaker, text = "", blip_caption: caption }: Utterance): string =>
  `${speaker}: ${text}${caption === undefined ? "" : ` [shares ${caption}]`}`;
