import { Eye, EyeOff } from "lucide-react";
import { useEffect, useState } from "react";
import { useFacts } from "../sources/message-facts.ts";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { listPlaceholders } from "./placeholders.ts";
import { toolCards as strings } from "../strings/tool-cards.ts";

const shownMs = 60_000;

type RevealedSecret = { readonly placeholder: string; readonly value: string };
type Props = { readonly count: number; readonly value: unknown };

/** Redacted secrets. A revealed secret is shown for a minute and never put into a store. */
export const HiddenValues = ({ count, value }: Props) => {
  const { client } = usePage();
  const threadId = useFacts()?.threadId;
  const { state, send } = useRequest();
  const [revealed, setRevealed] = useState<readonly RevealedSecret[]>([]);
  const placeholders = listPlaceholders(value);

  useEffect(() => {
    if (revealed.length === 0) return;
    const timer = setTimeout(() => setRevealed([]), shownMs);
    return () => clearTimeout(timer);
  }, [revealed]);

  const reveal = async () => {
    if (!threadId) return;
    const ask = async (placeholder: string): Promise<RevealedSecret> => {
      const answer = await client.revealValue({ params: { threadId }, body: { placeholder } });
      return { placeholder, value: answer.value };
    };
    const values = await send(() => Promise.all(placeholders.map(ask)));
    if (values) setRevealed(values);
  };
  const isRevealed = revealed.length > 0;
  return (
    <div className="pb-1.5 ps-7 text-xs text-soft">
      <p className="flex flex-wrap items-center gap-x-2">
        {strings.secrets.hidden(count)}
        {placeholders.length > 0 && threadId && (
          <button
            type="button"
            disabled={state.name === "sending"}
            className="inline-flex min-h-6 items-center gap-1 rounded-md px-1 font-medium text-ink underline underline-offset-2 hover:bg-hover disabled:opacity-60"
            onClick={() => (isRevealed ? setRevealed([]) : void reveal())}
          >
            {isRevealed ? (
              <EyeOff aria-hidden="true" className="size-3.5" />
            ) : (
              <Eye aria-hidden="true" className="size-3.5" />
            )}
            {isRevealed ? strings.secrets.hide : strings.secrets.reveal}
          </button>
        )}
        {state.name === "failed" && (
          <span role="alert" className="text-danger">
            {state.text}
          </span>
        )}
      </p>
      {isRevealed && (
        <dl aria-label={strings.secrets.revealed} className="mt-1 grid gap-1.5">
          {revealed.map(({ placeholder, value: secret }) => (
            <div key={placeholder} className="rounded-lg bg-(--code-ground) px-2.5 py-1.5 font-mono">
              <dt className="text-[0.7rem]">{placeholder}</dt>
              <dd className="wrap-anywhere whitespace-pre-wrap text-ink">{secret}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
};
