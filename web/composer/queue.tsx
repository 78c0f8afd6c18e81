import { Clock, CornerDownRight, RotateCw, X } from "lucide-react";
import type { QueuedInput } from "../../protocol/events.ts";
import type { Outgoing } from "../state/outbox.ts";
import { composer } from "../strings/composer.ts";
import { IconButton } from "../ui/icon-button.tsx";

const strings = composer.queue;

type Props = {
  readonly queue: readonly QueuedInput[];
  readonly unsent: readonly Outgoing[];
  /** Tool calls are not stopped for a message: it is sent when they have ended. */
  readonly hasOpenCalls: boolean;
  readonly onWithdraw: (input: QueuedInput) => void;
  readonly onSteer: (input: QueuedInput) => void;
  readonly onRetry: (id: string) => void;
  readonly onDiscard: (id: string) => void;
};

/** Queued messages, and messages that have not been received. */
export const Queue = ({ queue, unsent, hasOpenCalls, onWithdraw, onSteer, onRetry, onDiscard }: Props) => {
  if (queue.length + unsent.length === 0) return null;
  return (
    <ul aria-label={strings.label} className="mb-2 grid max-h-48 gap-1 overflow-y-auto">
      {queue.map((input) => (
        <li key={input.id} className="flex animate-rise items-center gap-2 rounded-xl bg-sunk py-1 ps-3 pe-1 text-sm">
          {input.mode === "steer" ? (
            <CornerDownRight aria-label={strings.atNextStep} className="size-4 flex-none text-accent" />
          ) : (
            <Clock aria-label={strings.afterAnswer} className="size-4 flex-none text-soft" />
          )}
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {input.text || (input.attachments ? strings.files : strings.kinds[input.kind])}
          </span>
          {input.kind === "message" && input.mode === "queue" && (
            <button
              type="button"
              className="rounded-lg px-2 py-1 text-xs text-soft hover:bg-hover hover:text-ink"
              title={hasOpenCalls ? strings.sendNextHint : strings.sendNowHint}
              onClick={() => onSteer(input)}
            >
              {hasOpenCalls ? strings.sendNext : strings.sendNow}
            </button>
          )}
          <IconButton label={strings.remove} className="size-7" onClick={() => onWithdraw(input)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </li>
      ))}
      {unsent.map((item) => (
        <li key={item.id} className="flex items-center gap-2 rounded-xl bg-sunk py-1 ps-3 pe-1 text-sm text-soft">
          <span dir="auto" className="min-w-0 flex-1 truncate">
            {item.text || strings.files}
          </span>
          <SendState item={item} onRetry={onRetry} onDiscard={onDiscard} />
        </li>
      ))}
    </ul>
  );
};

type SendStateProps = {
  readonly item: Outgoing;
  readonly onRetry: (id: string) => void;
  readonly onDiscard: (id: string) => void;
};

/** Delivery state of a message that the server has not shown yet. */
export const SendState = ({ item, onRetry, onDiscard }: SendStateProps) => {
  if (item.state.name !== "failed") return <span className="px-2 text-xs text-soft">{strings.sending}</span>;
  return (
    <span className="flex items-center gap-1 text-xs text-danger">
      <span role="alert">{strings.notSent(item.state.text)}</span>
      <IconButton label={strings.sendAgain} className="size-7" onClick={() => onRetry(item.id)}>
        <RotateCw aria-hidden="true" className="size-3.5" />
      </IconButton>
      <IconButton label={strings.discard} className="size-7" onClick={() => onDiscard(item.id)}>
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </span>
  );
};
