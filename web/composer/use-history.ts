import { useRef, type KeyboardEvent } from "react";
import { textOf } from "../../protocol/fold.ts";
import { usePage } from "../state/page.ts";
import { firstOwner } from "./drafts.ts";

type Options = { readonly owner: string; readonly text: string; readonly setText: (text: string) => void };

/**
 * Arrow up in an empty field brings back what was said before, further with each press; arrow down comes back. As soon as
 * what came is changed, the arrows move the caret again. The returned function is true when the key was for this.
 */
export function useHistory({ owner, text, setText }: Options): (event: KeyboardEvent<HTMLTextAreaElement>) => boolean {
  const { getFeed, drafts } = usePage();
  const walk = useRef<{ readonly lines: readonly string[]; readonly at: number } | null>(null);

  const listLines = (): readonly string[] => {
    const isThread = owner !== firstOwner && !owner.startsWith(`${firstOwner}.`);
    const state = isThread ? getFeed(owner).state.get() : null;
    const own = state?.phase === "ready" ? state.view.messages.filter(({ role }) => role === "user") : [];
    const said = own.map(({ parts }) => textOf(parts)).toReversed();
    return [...new Set([...said, ...drafts.said()])].filter((line) => line.trim() !== "");
  };

  return (event) => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return false;
    const isUp = event.key === "ArrowUp";
    if (!isUp && event.key !== "ArrowDown") return false;
    const isWalking = walk.current !== null && text === walk.current.lines[walk.current.at];
    if (!isWalking && (!isUp || text !== "")) return false;
    const { lines, at } = isWalking && walk.current ? walk.current : { lines: listLines(), at: -1 };
    const next = isUp ? Math.min(at + 1, lines.length - 1) : at - 1;
    if (lines.length === 0) return false;
    event.preventDefault();
    walk.current = next < 0 ? null : { lines, at: next };
    setText(lines[next] ?? "");
    return true;
  };
}
