import { useId, useState } from "react";
import { createId } from "../lib/ids.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { groupDigits } from "../lib/format.ts";
import { actions } from "../strings/actions.ts";
import { context } from "../strings/context.ts";
import { Sheet } from "../ui/sheet.tsx";
import type { SheetRoute } from "../state/panels.ts";

const strings = context.pin;

type Props = { readonly route: Extract<SheetRoute, { kind: "pin" }>; readonly onClose: () => void };

/** The server's limit. */
const longest = 2000;

/** Editor for a pin, which is part of every prompt: the user usually wants less than a whole message. */
export const PinSheet = ({ route: { threadId, messageId, text: initial }, onClose }: Props) => {
  const { client, getContext } = usePage();
  const [text, setText] = useState(initial);
  const [pinId] = useState(createId);
  const { state, send } = useRequest();
  const fieldId = useId();
  const surplus = text.trim().length - longest;
  const canPin = text.trim() !== "" && surplus <= 0 && state.name !== "sending";
  const pin = async () => {
    const body = { id: pinId, text: text.trim(), ...(messageId === null ? {} : { messageId }) };
    const isDone = await send(() => client.addPin({ params: { threadId }, body }));
    if (!isDone) return;
    void getContext(threadId).load();
    onClose();
  };
  return (
    <Sheet title={strings.title} about={context.pins.about} size="narrow" onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (canPin) void pin();
        }}
      >
        <label htmlFor={fieldId} className="text-sm font-medium">
          {strings.field}
        </label>
        <textarea
          id={fieldId}
          dir="auto"
          rows={6}
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-invalid={surplus > 0}
          className="field-sizing-content max-h-[40dvh] min-h-32 w-full resize-none rounded-xl bg-raised px-3.5 py-2.5 text-sm leading-relaxed shadow-float pointer-coarse:text-base"
        />
        {surplus > 0 && (
          <p role="alert" className="text-sm text-danger">
            {strings.tooLong(groupDigits(surplus), groupDigits(longest))}
          </p>
        )}
        {state.name === "failed" && (
          <p role="alert" className="text-sm text-danger">
            {state.text}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <button type="button" className="plain-button" onClick={onClose}>
            {actions.cancel}
          </button>
          <button type="submit" className="plain-button strong-button" disabled={!canPin}>
            {strings.submit}
          </button>
        </div>
      </form>
    </Sheet>
  );
};
