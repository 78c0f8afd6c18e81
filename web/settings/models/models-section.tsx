import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { ModelTable } from "./model-table.tsx";
import { ProviderCard } from "./provider-card.tsx";
import { useEffect, useState } from "react";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";

/** Providers with their keys, and their models. */
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

/** The providers, reloaded when any tab has changed them. `put` merges a provider from a response. */
function useProviders() {
  const { client, list, session } = usePage();
  const { state, reload } = useLoad("providers", (signal) => client.listProviders({ params: {} }, signal));
  const changes = useSignal(list.settings);
  const [told, setTold] = useState<readonly Provider[]>([]);
  useEffect(() => {
    if (changes > 0) reload();
  }, [changes, reload]);
  useEffect(() => setTold([]), [state]);
  const put = (provider: Provider) => {
    setTold((before) => [...before.filter(({ id }) => id !== provider.id), provider]);
    void session.load();
  };
  const providers =
    state.phase === "ready"
      ? state.value.providers.map((one) => told.find(({ id }) => id === one.id) ?? one)
      : ([] as const);
  return { state, providers, reload, put } as const;
}
