import type { LocalServer } from "../../protocol/settings/providers.ts";
import { useLoad } from "../lib/use-load.ts";
import { useRequest } from "../lib/use-request.ts";
import { usePage } from "./page.ts";

/** Model servers on the machine of the server that are not set up yet. `isWanted`: whether to look for them. */
export function useLocalServers(isWanted: boolean) {
  const { client, session } = usePage();
  const found = useLoad(isWanted ? "local" : null, (signal) => client.findLocalServers({ params: {} }, signal));
  const { state, send } = useRequest();
  const { reload } = found;
  const servers = found.state.phase === "ready" ? found.state.value.servers.filter(({ isAdded }) => !isAdded) : [];
  /** Adds the server and tests it, so that one of its models can become the default. */
  const add = async ({ id, label, baseUrl }: LocalServer): Promise<void> => {
    const params = { provider: id };
    await send(async () => {
      await client.setProviderAddress({ params, body: { baseUrl, label } });
      await client.testProvider({ params, body: {} });
      await session.load();
    });
    reload();
  };
  const isAllowed = found.state.phase !== "ready" || found.state.value.allowed;
  return { isAllowed, servers, isSearching: found.state.phase === "loading", add, state } as const;
}
