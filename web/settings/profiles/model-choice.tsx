import { ChevronDown } from "lucide-react";
import { toPrice, toProvider } from "../../labels/model.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";

type Props = { readonly value: string | null; readonly onChoose: (model: string | null) => void };

/** Usable models by provider; a chosen model that is no longer usable stays listed. */
export const ModelChoice = ({ value, onChoose }: Props) => {
  const { session } = usePage();
  const models = useSignal(session.models).filter(({ available, id }) => available || id === value);
  const isKnown = value === null || models.some(({ id }) => id === value);
  return (
    <span className="relative mt-1 inline-flex w-full min-w-0 items-center sm:w-96">
      <select
        aria-label="Model"
        value={value ?? ""}
        onChange={(event) => onChoose(event.target.value === "" ? null : event.target.value)}
        className="min-h-9 w-full min-w-0 cursor-pointer appearance-none truncate rounded-xl bg-hover py-1 ps-3 pe-8 text-sm hover:bg-press disabled:cursor-default disabled:hover:bg-hover pointer-coarse:min-h-11"
      >
        <option value="" className="bg-raised text-ink">
          The instance's default
        </option>
        {!isKnown && <option value={value}>{value} (not there any more)</option>}
        {[...Map.groupBy(models, toProvider)].map(([provider, members]) => (
          <optgroup key={provider} label={provider} className="bg-raised text-ink">
            {members.map((model) => (
              <option key={model.id} value={model.id}>
                {model.name} · {model.free ? "free" : toPrice(model)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <ChevronDown aria-hidden="true" className="pointer-events-none absolute end-2.5 size-4 text-soft" />
    </span>
  );
};
