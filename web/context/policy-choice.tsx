import { useEffect, useState } from "react";
import type { PolicyName } from "../../protocol/context/policy.ts";
import { createId } from "../lib/ids.ts";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { context } from "../strings/context.ts";
import { ContextSection } from "./section.tsx";
import { policyWords } from "../labels/context.ts";

const strings = context.policy;

type Props = { readonly threadId: string; readonly policy: PolicyName; readonly onChanged: () => void };

const names = Object.keys(policyWords) as readonly PolicyName[];

/** Choice of the thread's context policy. */
export const PolicyChoice = ({ threadId, policy, onChanged }: Props) => {
  const { client, getFeed } = usePage();
  const ownPolicy = useSelected(getFeed(threadId).state, (state) =>
    state.phase === "ready" ? (state.view.thread?.policy ?? null) : null,
  );
  const { state, send } = useRequest();
  const [picked, setPicked] = useState<PolicyName | null>(null);
  const change = async (next: PolicyName | null) => {
    setPicked(next);
    const body = { id: createId(), policy: next };
    const isDone = await send(() => client.changeThread({ params: { threadId }, body }));
    if (!isDone) setPicked(null);
    onChanged();
  };
  const shown = picked ?? policy;
  useEffect(() => setPicked(null), [policy]);
  return (
    <ContextSection title={strings.title} about={strings.about}>
      <div role="radiogroup" aria-label={strings.title} className="grid gap-1">
        {names.map((name) => (
          <label
            key={name}
            className={`flex cursor-pointer items-start gap-3 rounded-xl px-3 py-2 text-sm transition-colors ${name === shown ? "bg-raised" : "hover:bg-hover"}`}
          >
            <input
              type="radio"
              name={`policy-${threadId}`}
              value={name}
              checked={name === shown}
              onChange={() => void change(name)}
              className="mt-1 size-4 flex-none accent-(--accent)"
            />
            <span className="min-w-0">
              <span className="block font-medium">{policyWords[name].name}</span>
              <span className="block text-xs text-pretty text-soft">{policyWords[name].about}</span>
            </span>
          </label>
        ))}
      </div>
      <p role="status" className="text-xs text-soft empty:hidden">
        {state.name === "done" && strings.changed}
      </p>
      {state.name === "failed" && (
        <p role="alert" className="text-xs text-danger">
          {state.text}
        </p>
      )}
      {ownPolicy !== null && (
        <button
          type="button"
          className="plain-button min-h-8 justify-self-start pointer-coarse:min-h-10"
          onClick={() => void change(null)}
        >
          {strings.reset}
        </button>
      )}
    </ContextSection>
  );
};
