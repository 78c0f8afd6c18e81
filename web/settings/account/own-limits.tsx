import { toAmount } from "../../labels/cost.ts";
import { toSize } from "../../lib/format.ts";
import { useLoad } from "../../lib/use-load.ts";
import { usePage } from "../../state/page.ts";
import { personSettings } from "../../strings/settings/person.ts";
import { Failed, Quiet, Section } from "../../ui/section.tsx";

const strings = personSettings.limits;

/** The limits that admins set for the user, and the user's storage. */
export const OwnLimits = () => {
  const { client } = usePage();
  const { state, reload } = useLoad("limits", (signal) => client.getLimits({ params: {} }, signal));
  if (state.phase === "loading") return null;
  if (state.phase === "failed") {
    return (
      <Section title={strings.ownTitle}>
        <Failed text={state.text} onRetry={reload} />
      </Section>
    );
  }
  const { limits, stored } = state.value;
  const bytes = toSize(stored.attachments + stored.files + stored.imports);
  const budgets = [
    ...(limits.dayUsd === null ? [] : [strings.perDay(toAmount(limits.dayUsd))]),
    ...(limits.monthUsd === null ? [] : [strings.perMonth(toAmount(limits.monthUsd))]),
  ];
  const facts = [
    [strings.spending, budgets.length === 0 ? strings.unlimited : budgets.join(", ")],
    [
      personSettings.usage.stored,
      limits.storageBytes === null ? bytes : personSettings.usage.storedOf(bytes, toSize(limits.storageBytes)),
    ],
    [strings.models, limits.models === null ? strings.modelChoices.all : limits.models.join(", ") || strings.noModels],
  ] as const;
  return (
    <Section title={strings.ownTitle}>
      <Quiet>{strings.ownAbout}</Quiet>
      <dl className="mt-1 grid gap-3 rounded-2xl bg-raised px-4 py-3 sm:grid-cols-3">
        {facts.map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-soft">{name}</dt>
            <dd className="text-sm wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
};
