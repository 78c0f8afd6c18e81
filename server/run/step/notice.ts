import type { PartOf } from "../../../protocol/parts.ts";
import type { Reason } from "../../../protocol/run.ts";
import type { RunState } from "../state.ts";

type NoticePosition = Pick<RunState, "nextPart"> & { readonly view: Pick<RunState["view"], "messageId" | "step"> };

/** A notice from the server, as the next part of the answer. */
export function toNotice(place: NoticePosition, { code, text, values, sentences }: Reason): PartOf<"notice"> {
  const n = place.nextPart;
  const { messageId, step } = place.view;
  return {
    id: `${messageId}.${n}`,
    v: 1,
    n,
    step,
    kind: "notice",
    level: "warning",
    code,
    text,
    ...(values ? { values } : {}),
    ...(sentences ? { sentences } : {}),
  };
}
