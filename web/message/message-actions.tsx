import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import type { MessageView } from "../../protocol/fold.ts";
import { usePage } from "../state/page.ts";
import { message as strings } from "../strings/message.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { IconButton } from "../ui/icon-button.tsx";

type Props = {
  readonly threadId: string;
  readonly message: MessageView;
  readonly text: string;
  readonly isLast: boolean;
  readonly children: ReactNode;
};

/** Actions of a message: visible on hover, and always for the last message and on touch screens. */
export const MessageActions = ({ threadId, message, text, isLast, children }: Props) => (
  <div className="mt-1 -ms-1.5 flex h-8 items-center gap-0.5">
    <VariantSwitcher threadId={threadId} message={message} />
    <div
      className={`flex min-w-0 items-center gap-0.5 transition-opacity group-focus-within/message:opacity-100 group-hover/message:opacity-100 pointer-coarse:opacity-100 ${isLast ? "" : "opacity-0"}`}
    >
      {text !== "" && <CopyButton text={text} label={strings.copy} className="size-8" />}
      {children}
    </div>
  </div>
);

const VariantSwitcher = ({ threadId, message }: Pick<Props, "threadId" | "message">) => {
  const { commands } = usePage();
  const { variants, id } = message;
  const at = variants.indexOf(id);
  if (variants.length < 2) return null;
  const show = (index: number) => {
    const variant = variants[index];
    if (variant) void commands.activate(threadId, variant);
  };
  return (
    <div role="group" aria-label={strings.variants.label} className="flex items-center text-xs text-soft tabular-nums">
      <IconButton label={strings.variants.previous} className="size-8" disabled={at <= 0} onClick={() => show(at - 1)}>
        <ChevronLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
      </IconButton>
      <span aria-label={strings.variants.current(at + 1, variants.length)} role="img">
        {at + 1}/{variants.length}
      </span>
      <IconButton
        label={strings.variants.next}
        className="size-8"
        disabled={at >= variants.length - 1}
        onClick={() => show(at + 1)}
      >
        <ChevronRight aria-hidden="true" className="size-4 rtl:-scale-x-100" />
      </IconButton>
    </div>
  );
};
