import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { fitHeight, isSendKey } from "../lib/text-field.ts";
import { actions } from "../strings/actions.ts";
import { message } from "../strings/message.ts";
import { toSendable } from "../api/limits.ts";
import { useLongestMessage } from "../state/use-profiles.ts";

type Props = {
  readonly text: string;
  readonly profile: string;
  /** The files of the message, which stay attached. */
  readonly children?: ReactNode;
  readonly onChange: (text: string) => void;
  /** null: cancel. */
  readonly onClose: (text: string | null) => Promise<void>;
};

export const EditMessage = ({ text: initial, profile, children, onChange, onClose }: Props) => {
  const [text, setText] = useState(initial);
  const field = useRef<HTMLTextAreaElement>(null);
  const sendable = toSendable(text);
  const [isSending, setSending] = useState(false);
  const longest = useLongestMessage(profile);
  const canSend = sendable !== "" && sendable.length <= longest && !isSending;
  const send = async () => {
    if (!canSend) return;
    setSending(true);
    await onClose(sendable);
    setSending(false);
  };
  useEffect(() => fitHeight(field.current), [text]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.nativeEvent.isComposing) void onClose(null);
    if (!isSendKey(event)) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      aria-label={message.edit.action}
      className="rounded-2xl bg-bubble p-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {children}
      <textarea
        ref={field}
        autoFocus
        dir="auto"
        aria-label={message.edit.field}
        value={text}
        onKeyDown={onKeyDown}
        onFocus={(event) => event.currentTarget.setSelectionRange(text.length, text.length)}
        onChange={(event) => {
          setText(event.target.value);
          onChange(event.target.value);
        }}
        className="field-sizing-content block max-h-[50dvh] w-full resize-none bg-transparent px-1 leading-relaxed outline-none"
      />
      <div className="mt-2 flex items-center justify-end gap-2">
        <button type="button" className="plain-button" onClick={() => void onClose(null)}>
          {actions.cancel}
        </button>
        <button type="submit" className="plain-button strong-button" disabled={!canSend}>
          {message.edit.send}
        </button>
      </div>
    </form>
  );
};
