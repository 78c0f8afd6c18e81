import { joinTexts } from "../../protocol/fold.ts";
import type { Part as PartShape } from "../../protocol/parts.ts";
import { toBlocks } from "../tools/group-calls.ts";
import { CallGroup } from "./call-group.tsx";
import { Fold } from "../ui/fold.tsx";
import { Part } from "./part.tsx";
import { parts as strings } from "../strings/parts.ts";

type Props = { readonly parts: readonly PartShape[]; readonly isRunning: boolean };

/** All parts in order, consecutive tool calls grouped. Superseded attempts are folded, with a note that no model sees them. */
export const PartList = ({ parts, isRunning }: Props) => (
  <>
    {groupParts(joinTexts(parts)).map((group, index, groups) =>
      group.aside === undefined ? (
        toBlocks(group.parts, isRunning && index === groups.length - 1).map((block) =>
          block.kind === "part" ? (
            <Part key={block.key} part={block.part} />
          ) : (
            <CallGroup key={block.key} members={block.members} isOver={block.isOver} />
          ),
        )
      ) : (
        <Fold
          key={group.parts[0]?.id}
          label={
            <span className="min-w-0 wrap-anywhere">
              {strings.discarded(group.aside.replace(/\.$/, ""))} <s>{firstWords(group.parts)}</s>
            </span>
          }
        >
          <div className="ms-2 grid gap-3 border-s-2 border-line ps-4 text-soft line-through">
            {group.parts.map((part) => (
              <Part key={part.id} part={part} />
            ))}
          </div>
        </Fold>
      ),
    )}
  </>
);

export type PartGroup = { readonly aside: string | undefined; readonly parts: readonly PartShape[] };

/** Consecutive parts with the same reason for being superseded form a group. */
export function groupParts(parts: readonly PartShape[]): readonly PartGroup[] {
  const groups: { aside: string | undefined; parts: PartShape[] }[] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last && last.aside === part.aside) last.parts.push(part);
    else groups.push({ aside: part.aside, parts: [part] });
  }
  return groups;
}

const firstWords = (parts: readonly PartShape[]): string => {
  const text = parts.find((part) => part.kind === "text")?.text ?? "";
  return text.length > 24 ? `${text.slice(0, 24).trimEnd()}…` : text;
};
