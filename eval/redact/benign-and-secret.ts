import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** The files of the evaluation: texts that hold secrets, and texts that hold none. A path that is undefined gives nothing. */
export type SecretFile = {
  readonly text: string;
  readonly secrets: readonly string[];
  /** Whether the rules were written with this file at hand. */
  readonly isSeen: boolean;
};

const readText = (path: string): string => gunzipSync(readFileSync(path)).toString("utf8");

export function readSecrets(path: string | undefined): readonly SecretFile[] {
  if (path === undefined) return [];
  const files = JSON.parse(readText(path)) as readonly { readonly text: string; readonly secrets: readonly string[] }[];
  return files.map(({ text, secrets }) => ({
    text,
    secrets,
    isSeen: (createHash("sha256").update(text).digest()[0] ?? 0) % 2 === 0,
  }));
}

type SessionLine = {
  readonly message?: { readonly role: string; readonly content: readonly { readonly text?: string }[] };
};

/** Tool results of a coding session. */
export function readSession(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  return readText(path)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as SessionLine)
    .filter(({ message }) => message?.role === "toolResult")
    .flatMap(({ message }) => (message?.content ?? []).map(({ text = "" }) => text))
    .filter((text) => text !== "");
}

type AirlineRun = { readonly traj: readonly { readonly content?: string | null }[] };

/** Every message of the airline's service: instructions, people, the assistant, its tools. */
export function readAirline(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  const runs = JSON.parse(readText(path)) as readonly AirlineRun[];
  return runs.flatMap(({ traj }) => traj.map(({ content }) => content ?? "")).filter((text) => text !== "");
}

type Page = { readonly ground_truth: { readonly main_content?: string | null } };

export function readPages(folder: string | undefined): readonly string[] {
  if (folder === undefined) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json.gz"))
    .map((name) => (JSON.parse(readText(join(folder, name))) as Page).ground_truth.main_content ?? "")
    .filter((text) => text !== "");
}
