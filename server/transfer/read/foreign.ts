import { createHash } from "node:crypto";

/** A conversation of another program, before it becomes rows. */
export type ForeignThread = {
  /** Identifies it in the file of its program, also in a later export. */
  readonly id: string;
  readonly title: string;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly archived?: boolean;
  readonly pinned?: boolean;
  /** The project's id, as units of the same file have it. */
  readonly project?: string | null;
  /** Parents may come before or after their children. */
  readonly nodes: readonly ForeignNode[];
  /** The node that was shown last. */
  readonly active: string | null;
  /** Things that were not understood. */
  readonly notes: readonly string[];
};

export type ForeignNode = {
  readonly id: string;
  readonly parent: string | null;
  readonly role: "user" | "assistant" | "system";
  readonly at: number | null;
  readonly model?: string | null;
  readonly parts: readonly ForeignPart[];
};

export type ForeignPart =
  | { readonly kind: "text" | "reasoning" | "notice"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly callId?: string | undefined;
      readonly input: unknown;
      /** Absent: the file has no result. */
      readonly output?: unknown;
      readonly failed?: boolean;
    }
  | { readonly kind: "source"; readonly url: string; readonly title?: string }
  | { readonly kind: "file"; readonly file: ForeignFile };

export type ForeignFile = {
  readonly name: string;
  /** Its bytes are here, or in this entry of the archive; null: the file does not have them. */
  readonly content: { readonly bytes: Buffer } | { readonly entry: string } | null;
};

/** Keeps a valid id; any other text gets an id derived from it. With `scope`, always derives one. */
export const toId = (given: string, ...scope: readonly string[]): string =>
  scope.length === 0 && /^[\w-]{1,128}$/.test(given) ? given : hashId(given, ...scope);

export const hashId = (...parts: readonly string[]): string =>
  createHash("sha256")
    .update(JSON.stringify(parts.map((part) => part.toWellFormed())))
    .digest("base64url")
    .slice(0, 32);

/** Reading values of which nothing is known. */
export type Fields = Readonly<Record<string, unknown>>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const toFields = (value: unknown): Fields => (isFields(value) ? value : {});
export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
export const toText = (value: unknown): string => (typeof value === "string" ? value : "");
export const textOr = (...values: readonly unknown[]): string =>
  (values.find((value) => typeof value === "string" && value !== "") as string | undefined) ?? "";

const OLDEST = Date.UTC(1990, 0, 1);
const NEWEST = Date.UTC(2200, 0, 1);

/** Milliseconds, from ISO text, or from seconds, milliseconds, microseconds or nanoseconds. */
export function toTime(value: unknown): number | null {
  if (typeof value === "string" && value !== "") {
    const parsed = /^\d+(\.\d+)?$/.test(value) ? toTime(Number(value)) : Date.parse(value);
    return parsed !== null && parsed >= OLDEST && parsed <= NEWEST ? parsed : null;
  }
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  const times = [value, value * 1000, value / 1000, value / 1_000_000].map(Math.round);
  return times.find((time) => time >= OLDEST && time <= NEWEST) ?? null;
}

const DATA_URL = /^data:([\w.+-]{1,80}\/[\w.+-]{1,80})?(?:;[\w=.-]{1,80})?;base64,/;

/** A file in a data URL; undefined for other addresses. */
export function readDataUrl(url: string, name: string): ForeignFile | undefined {
  const head = DATA_URL.exec(url.slice(0, 300));
  if (!head) return undefined;
  const ending = (head[1] ?? "").split("/")[1]?.replace("jpeg", "jpg").replace(/[^\w]/g, "") ?? "bin";
  const bytes = Buffer.from(url.slice(head[0].length), "base64");
  return { name: name === "" ? `file.${ending}` : name, content: { bytes } };
}
