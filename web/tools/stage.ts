import type { Part } from "../../protocol/parts.ts";
import { titleOf, unwrapCall } from "../labels/tools.ts";

/** Current activity of a running answer; null while it streams text. */
export function toStage(parts: readonly Part[]): string | null {
  const calls = parts.filter((part) => part.kind === "tool").map(unwrapCall);
  const asking = calls.filter(({ state }) => state === "asking");
  if (asking.length > 0)
    return asking.length === 1 ? "Waits for your word" : `${asking.length} calls wait for your word`;
  const running = calls.filter(({ state }) => state === "running" || state === "ready");
  const call = running.findLast(({ progress }) => progress) ?? running[0];
  if (call) {
    const more = running.length - 1;
    return `${call.progress?.text ?? titleOf(call)}${more > 0 ? `, and ${more} more` : ""}`;
  }
  const last = parts.findLast(({ kind }) => kind !== "step" && kind !== "source" && kind !== "data");
  if (last?.kind === "tool") return last.state === "input-streaming" ? titleOf(last) : "Thinks about what it found";
  return null;
}
