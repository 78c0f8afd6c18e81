import type { Part } from "../../protocol/parts.ts";
import { QUESTION } from "../../protocol/question.ts";
import { titleOf, unwrapCall } from "../labels/tools.ts";
import { toolCards as strings } from "../strings/tool-cards.ts";

/** Current activity of a running answer; null while it streams text. */
export function toStage(parts: readonly Part[]): string | null {
  const calls = parts.filter((part) => part.kind === "tool").map(unwrapCall);
  const asking = calls.filter(({ state }) => state === "asking");
  if (asking.some(({ asks }) => asks?.code === QUESTION)) return strings.stage.question;
  if (asking.length > 0) return strings.stage.waiting(asking.length);
  const running = calls.filter(({ state }) => state === "running" || state === "ready");
  const call = running.findLast(({ progress }) => progress) ?? running[0];
  if (call) {
    const more = running.length - 1;
    const activity = call.progress?.text ?? titleOf(call);
    return more > 0 ? strings.stage.andMore(activity, more) : activity;
  }
  const last = parts.findLast(({ kind }) => kind !== "step" && kind !== "source" && kind !== "data");
  if (last?.kind === "tool") return last.state === "input-streaming" ? titleOf(last) : strings.stage.thinking;
  return null;
}
