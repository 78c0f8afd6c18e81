import { toSource } from "../../../protocol/context/untrusted.ts";
import type { ToolSpec } from "../../../protocol/model.ts";
import { PART_VERSION, type Part } from "../../../protocol/parts.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { CallerRequest, HistoryPart } from "../../thread/rows.ts";
import type { Profile } from "../profiles.ts";

/** `asks.code` of a tool part that waits for the program that sent the message. */
export const CLIENT = "client";

/** The profile as this request uses it. A plain request has only the caller's own instructions. */
export function toCallerProfile(profile: Profile, caller: CallerRequest | undefined): Profile {
  if (!caller) return profile;
  const { isPlain = false, instructions = "", ownTools = isPlain ? [] : profile.tools } = caller;
  const texts = [...(isPlain ? [] : [profile.instructions]), ...(instructions === "" ? [] : [instructions])];
  return { ...profile, instructions: texts.join("\n\n"), tools: ownTools };
}

/** Stonechat's tools and the caller's, sorted by name. A tool of the caller replaces Stonechat's tool with the same name. */
export function withCallerTools(specs: readonly ToolSpec[], caller: CallerRequest | undefined): readonly ToolSpec[] {
  const tools = caller?.tools ?? [];
  if (tools.length === 0) return specs;
  const names = new Set(tools.map(({ name }) => name));
  return [...specs.filter(({ name }) => !names.has(name)), ...tools].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The results come from the program or from what it read, so they are untrusted. */
export const sourceOf = (name: string): string => toSource(`the tool ${name} of a connected program`);

/** Parts of an answer that the caller already has. */
export const toHistoryParts = (parts: readonly HistoryPart[], messageId: string): readonly Part[] => {
  const sources = [...new Set(parts.flatMap((part) => (part.kind === "tool" ? [sourceOf(part.name)] : [])))];
  const untrusted = sources.length === 0 ? {} : { untrusted: sources };
  return parts.map((part, index): Part => {
    const head = { id: `${messageId}.${index}`, v: PART_VERSION, n: index, step: part.step } as const;
    if (part.kind === "text") return { ...head, kind: "text", state: "done", text: part.text, ...untrusted };
    const { step: _, kind, ...call } = part;
    return { ...head, kind, state: "ok", ...call, client: true, untrusted: sources };
  });
};

export const countHistoryPart = (part: Part): number => {
  if (part.kind === "text") return countTokens(part.text);
  if (part.kind !== "tool") return 0;
  return countTokens(JSON.stringify([part.name, part.input ?? {}])) + countTokens(String(part.output));
};
