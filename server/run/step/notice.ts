import type { PartOf } from "../../../protocol/parts.ts";
import type { Reason } from "../../../protocol/run.ts";
import type { RunState } from "../state.ts";

/** Something the system says in the answer, at its next place. */
export function toNotice(state: RunState, { code, text }: Reason): PartOf<"notice"> {
  const n = state.nextPart;
  const id = `${state.view.messageId}.${n}`;
  return { id, v: 1, n, step: state.view.step, kind: "notice", level: "warning", code, text };
}
