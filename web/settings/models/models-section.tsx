import { Failed, Quiet, Section, Waiting } from "../../project/bits/section.tsx";
import { ModelTable } from "./model-table.tsx";
import { ProviderCard } from "./provider-card.tsx";
import { useProviders } from "./use-providers.ts";

/** Who answers: the providers with their keys, and the models that they offer. */
export const ModelsSection = () => {
  const { state, providers, reload, put } = useProviders();
  return (
    <>
      <Section title="Providers">
        <Quiet>
          A key makes its models answer at once, in every thread. Without any, the small offline model answers.
        </Quiet>
        {state.phase === "loading" && <Waiting />}
        {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
        <ul aria-label="Providers" className="mt-1 grid gap-2">
          {providers.map((provider) => (
            <ProviderCard key={provider.id} provider={provider} onChanged={put} />
          ))}
        </ul>
      </Section>
      <ModelTable />
    </>
  );
};
