import { useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { usePage } from "../state/page.ts";
import { list } from "../strings/list.ts";
import { actions } from "../strings/actions.ts";
import Confirm from "../ui/confirm.tsx";
import { useLoad } from "../lib/use-load.ts";

const strings = list.deletion;

type Props = {
  readonly thread: ThreadSummary;
  readonly onConfirm: (forget: boolean) => void;
  readonly onClose: () => void;
};

/** Confirms the deletion and, if memory came from the thread, asks whether to delete that too. */
const DeleteThread = ({ thread, onConfirm, onClose }: Props) => {
  const { client } = usePage();
  const [forget, setForget] = useState(false);
  const { state } = useLoad(thread.id, (signal) => client.memoryOfThread({ params: { threadId: thread.id } }, signal));
  const count = state.phase === "ready" ? state.value.changes.length : 0;
  return (
    <Confirm
      title={strings.title}
      text={strings.text(thread.title)}
      action={actions.delete}
      onConfirm={() => onConfirm(forget && count > 0)}
      onClose={onClose}
    >
      {count > 0 && (
        <label className="mt-4 flex cursor-pointer items-start gap-3 rounded-xl bg-sunk px-3.5 py-2.5 text-sm">
          <input
            type="checkbox"
            checked={forget}
            onChange={(event) => setForget(event.target.checked)}
            className="mt-0.5 size-4 flex-none accent-(--accent)"
          />
          <span>
            {strings.forget}
            <span className="block text-xs text-soft">{strings.forgetCount(count)}</span>
          </span>
        </label>
      )}
    </Confirm>
  );
};

export default DeleteThread;
