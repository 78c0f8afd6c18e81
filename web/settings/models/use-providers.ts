import { useEffect, useState } from "react";
import type { Provider } from "../../../protocol/settings/providers.ts";
import { useLoad } from "../../ui/use-load.ts";
import { useSignal } from "../../state/cell.ts";
import { usePage } from "../../state/page.ts";

/** Providers as they are now, whichever tab has changed them. `put`: what an answer has just told of one. */
export function useProviders() {
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
