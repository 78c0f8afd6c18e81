import { isChatModel, toListings, toRows } from "./listing.ts";
import { fetchList } from "./refresh.ts";

/** A model server on this machine. */
export type FoundServer = {
  readonly id: string;
  readonly label: string;
  readonly baseUrl: string;
  readonly models: number;
};

const labels: Readonly<Record<string, string>> = {
  ollama: "Ollama",
  lmstudio: "LM Studio",
  vllm: "vLLM",
  llamacpp: "llama.cpp",
};

/** Who a server says that its models belong to. */
const owners: Readonly<Record<string, string>> = {
  library: "ollama",
  organization_owner: "lmstudio",
  vllm: "vllm",
  llamacpp: "llamacpp",
};

/** Another program may listen on such a port, so a reply must come soon. */
const timeoutMs = 1_500;

/** Asks each address for its models, all at once. Those that do not answer with a list are left out. */
export async function findLocalServers(
  urls: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly FoundServer[]> {
  const found = await Promise.all(Object.entries(urls).map(([id, baseUrl]) => probe(id, baseUrl, signal)));
  return found.filter((server) => server !== undefined);
}

async function probe(id: string, baseUrl: string, signal: AbortSignal): Promise<FoundServer | undefined> {
  try {
    const list = await fetchList(withoutRedirects, `${baseUrl}/models`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const rows = toRows(list);
    if (rows === undefined) return undefined;
    // Ports are shared: vLLM and llama.cpp are often moved to each other's.
    const named = rows.map((row) => owners[String(row["owned_by"])]).find((owner) => owner !== undefined) ?? id;
    return { id: named, label: labels[named] ?? named, baseUrl, models: toListings(list).filter(isChatModel).length };
  } catch {
    return undefined;
  }
}

const withoutRedirects: typeof globalThis.fetch = (url, init) => globalThis.fetch(url, { ...init, redirect: "manual" });
