import { joinTexts } from "../../protocol/fold.ts";
import type { Part as PartShape } from "../../protocol/parts.ts";
import { toBlocks } from "../tools/group-calls.ts";
import { CallGroup } from "./call-group.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { toNoticeText, toPageText } from "../labels/notices.ts";
import { Part } from "./part.tsx";
import { parts as strings } from "../strings/parts.ts";

type Props = {
  readonly parts: readonly PartShape[];
  readonly isRunning: boolean;
};

/**
 * All parts in order, consecutive tool calls grouped. Superseded attempts are folded, with a note that no model sees them; so
 * are failed attempts.
 */
export const PartList = ({ parts, isRunning }: Props) => (
  <>
    {groupParts(joinTexts(parts)).map((group, index, groups) => {
      const isLast = index === groups.length - 1;
      if (group.attempts > 0)
        return <Attempts key={group.parts[0]?.id} group={group} isRunning={isRunning && isLast} />;
      if (group.aside !== undefined) return <Superseded key={group.parts[0]?.id} group={group} />;
      return toBlocks(group.parts, isRunning && isLast).map((block) =>
        block.kind === "part" ? (
          <Part key={block.key} part={block.part} />
        ) : (
          <CallGroup key={block.key} members={block.members} isOver={block.isOver} />
        ),
      );
    })}
  </>
);

const Superseded = ({ group: { aside = "", parts } }: { readonly group: PartGroup }) => (
  <Disclosure
    label={
      <span className="min-w-0 wrap-anywhere">
        {strings.discarded(toPageText({ text: aside, sentences: parts[0]?.asideSentences }).replace(/[.。]$/, ""))}{" "}
        <s>{firstWords(parts)}</s>
      </span>
    }
  >
    <div className="ms-2 grid gap-3 border-s-2 border-line ps-4 text-soft line-through">
      {parts.map((part) => (
        <Part key={part.id} part={part} />
      ))}
    </div>
  </Disclosure>
);

/** Failed attempts in one line; while the answer runs, the newest reason. */
const Attempts = ({
  group: { parts, attempts },
  isRunning,
}: {
  readonly group: PartGroup;
  readonly isRunning: boolean;
}) => {
  const notice = parts.findLast((part) => part.kind === "notice");
  const newest = notice ? toNoticeText(notice) : "";
  return (
    <Disclosure
      label={
        <span dir="auto" className="min-w-0 wrap-anywhere">
          {isRunning ? newest : strings.failedAttempts(attempts)}
        </span>
      }
    >
      <div className="ms-2 grid gap-2 border-s-2 border-line ps-4">
        {groupParts(parts, false).map((group) =>
          group.aside === undefined ? (
            group.parts.map((part) => <Part key={part.id} part={part} />)
          ) : (
            <Superseded key={group.parts[0]?.id} group={group} />
          ),
        )}
      </div>
    </Disclosure>
  );
};

export type PartGroup = {
  readonly aside: string | undefined;
  readonly parts: readonly PartShape[];
  /** Number of failed attempts that are folded into this group; 0 for other groups. */
  readonly attempts: number;
};

type OpenGroup = { aside: string | undefined; parts: PartShape[]; attempts: number };

/**
 * Consecutive parts with the same reason for being superseded form a group. So do failed attempts, each with its text and the
 * notice that another one follows. A single stop of the server stays visible.
 */
export function groupParts(parts: readonly PartShape[], foldsAttempts = true): readonly PartGroup[] {
  const groups: OpenGroup[] = [];
  const isSingle = parts.filter((part, at) => isRetried(part, parts[at + 1])).length === 1;
  for (let at = 0; at < parts.length; at += 1) {
    const [part, next] = [parts[at], parts[at + 1]];
    if (part === undefined) continue;
    if (foldsAttempts && next && isRetried(part, next) && !(isSingle && isInterruption(part))) {
      const last = groups.at(-1);
      const before = last && last.aside !== undefined ? (groups.pop()?.parts ?? []) : [];
      const open = groups.at(-1);
      if (open && open.attempts > 0) {
        open.parts.push(...before, part, next);
        open.attempts += 1;
      } else groups.push({ aside: undefined, parts: [...before, part, next], attempts: 1 });
      at += 1;
      continue;
    }
    const last = groups.at(-1);
    if (last && last.attempts === 0 && last.aside === part.aside) last.parts.push(part);
    else groups.push({ aside: part.aside, parts: [part], attempts: 0 });
  }
  return groups;
}

/** The notice after a failed attempt, with the step of the next one. */
const isRetried = (part: PartShape, next: PartShape | undefined): boolean =>
  part.kind === "notice" && next?.kind === "step" && next.attempt > 1;

/** A stop of the server is no failure of the model. The notice says whether the answer was continued or restarted. */
const isInterruption = (part: PartShape): boolean => part.kind === "notice" && part.code === "interrupted";

const firstWords = (parts: readonly PartShape[]): string => {
  const text = parts.find((part) => part.kind === "text")?.text ?? "";
  return text.length > 24 ? `${text.slice(0, 24).trimEnd()}…` : text;
};
