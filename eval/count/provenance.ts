import type { Turn } from "../contestant.ts";
import type { PartOf } from "../../protocol/parts.ts";

/** A value that a tool call needs and that only earlier turns hold. */
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const isWanted = (value: string): boolean => value.length >= 5 && /\d/.test(value) && !DATE.test(value);

const isTool = (part: { readonly kind: string }): part is PartOf<"tool"> => part.kind === "tool";

/** Lists, for every turn, the values used by its calls that occur in earlier turns and not earlier in the same turn. */
export function listNeeds(turns: readonly Turn[]): readonly (readonly string[])[] {
  let earlier = "";
  return turns.map((turn) => {
    let within = textOf(turn.question.parts);
    const needs: string[] = [];
    for (const step of turn.steps) {
      for (const call of step.filter(isTool))
        for (const value of listValues(call.input))
          if (isWanted(value) && !within.includes(value) && earlier.includes(value)) needs.push(value);
      within += `\n${textOf(step)}`;
    }
    earlier += `\n${within}`;
    return needs;
  });
}

function listValues(input: unknown): readonly string[] {
  if (typeof input === "string") return [input];
  if (typeof input === "number") return [String(input)];
  return typeof input === "object" && input !== null ? Object.values(input).flatMap(listValues) : [];
}

/** Words, arguments and results. */
export const textOf = (parts: readonly { readonly kind: string }[]): string =>
  (parts as readonly (PartOf<"text"> | PartOf<"tool">)[])
    .map((part) => {
      if (part.kind === "text") return part.text;
      return isTool(part) ? `${JSON.stringify(part.input)}\n${toOutputText(part.output)}` : "";
    })
    .join("\n");

const toOutputText = (output: unknown): string =>
  typeof output === "string" ? output : JSON.stringify(output ?? null);
