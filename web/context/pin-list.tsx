import { PinOff, Plus } from "lucide-react";
import type { PinView } from "../../protocol/context/context.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { ActButton } from "../ui/act-button.tsx";
import { toDay } from "../lib/time.ts";
import { actions } from "../strings/actions.ts";
import { context } from "../strings/context.ts";
import { ContextSection } from "./section.tsx";

const strings = context.pins;

type Props = { readonly threadId: string; readonly pins: readonly PinView[]; readonly onChanged: () => void };

/** The pins of a thread. */
export const PinList = ({ threadId, pins, onChanged }: Props) => {
  const { client, sheet } = usePage();
  const add = (
    <button
      type="button"
      className="plain-button min-h-8 pointer-coarse:min-h-10"
      onClick={() => sheet.set({ kind: "pin", threadId, messageId: null, text: "" })}
    >
      <Plus aria-hidden="true" className="size-3.5" />
      {strings.add}
    </button>
  );
  return (
    <ContextSection title={strings.title} about={strings.about} action={add}>
      {pins.length === 0 && <p className="text-sm text-soft">{strings.empty}</p>}
      <ul aria-label={strings.label} className="grid gap-1">
        {pins.map(({ id, text, messageId, createdAt }) => (
          <li
            key={id}
            className="flex flex-wrap items-start gap-x-2 gap-y-1 rounded-xl bg-raised py-2 ps-3.5 pe-2 text-sm"
          >
            <span className="min-w-0 flex-1 py-1">
              <span dir="auto" className="line-clamp-6 wrap-anywhere whitespace-pre-wrap">
                {text}
              </span>
              <span className="mt-1 block text-xs text-soft">
                {toDay(createdAt)}
                {messageId !== null && (
                  <>
                    {" · "}
                    <a href={toPath(threadId, messageId)} className="underline underline-offset-2 hover:text-ink">
                      {strings.fromMessage}
                    </a>
                  </>
                )}
              </span>
            </span>
            <ActButton
              label={strings.remove(text.slice(0, 40))}
              act={() => client.removePin({ params: { threadId, pinId: id } })}
              onDone={onChanged}
            >
              <PinOff aria-hidden="true" className="size-3.5" />
              {actions.remove}
            </ActButton>
          </li>
        ))}
      </ul>
    </ContextSection>
  );
};
