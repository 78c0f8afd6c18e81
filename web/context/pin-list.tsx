import { PinOff, Plus } from "lucide-react";
import type { PinView } from "../../protocol/context/context.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { ActButton } from "../ui/act-button.tsx";
import { toDay } from "../lib/time.ts";
import { Section } from "./section.tsx";

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
      Add
    </button>
  );
  return (
    <Section title="Pinned" about="Stands in every prompt of this thread, word for word." action={add}>
      {pins.length === 0 && (
        <p className="text-sm text-soft">Nothing yet. Pin a message, or words of it, from its menu.</p>
      )}
      <ul aria-label="Pins" className="grid gap-1">
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
                      from a message
                    </a>
                  </>
                )}
              </span>
            </span>
            <ActButton
              label={`Remove the pin “${text.slice(0, 40)}”`}
              act={() => client.removePin({ params: { threadId, pinId: id } })}
              onDone={onChanged}
            >
              <PinOff aria-hidden="true" className="size-3.5" />
              Remove
            </ActButton>
          </li>
        ))}
      </ul>
    </Section>
  );
};
