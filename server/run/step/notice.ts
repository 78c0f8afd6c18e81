import type { PartOf } from "../../../protocol/parts.ts";
import type { Reason } from "../../../protocol/run.ts";
import type { RunState } from "../state.ts";

/** A notice from the server, as the next part of the answer. */
export function toNotice(state: RunState, { code, text }: Reason): PartOf<"notice"> {
  const n = state.nextPart;
  const id = `${state.view.messageId}.${n}`;
  return { id, v: 1, n, step: state.view.step, kind: "notice", level: "warning", code, text };
}
