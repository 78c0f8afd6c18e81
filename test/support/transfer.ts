import type { Client } from "../../protocol/client.ts";
import { createApiClient } from "../../protocol/api-client.ts";
import type { Import, ImportLine } from "../../protocol/account/imports.ts";
import { until } from "./server/until.ts";

export type ImportResult = { readonly import: Import; readonly lines: readonly ImportLine[] };

/** Uploads a file and waits until its import has ended. */
export async function importFile(url: string, name: string, content: Uint8Array | string): Promise<ImportResult> {
  const api = createApiClient({ baseUrl: url });
  const body = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  const { id } = await api.uploadImport({ query: { name }, body });
  return waitForImport(api, id);
}

export async function waitForImport(client: Client, importId: string): Promise<ImportResult> {
  await until("the import has ended", async () => {
    const { import: found } = await client.getImport({ params: { importId } });
    return found.state === "done" || found.state === "failed";
  });
  const lines: ImportLine[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page: Awaited<ReturnType<Client["getImport"]>> = await client.getImport({
      params: { importId },
      query: { after, limit: 500 },
    });
    lines.push(...page.lines);
    after = page.nextAfter;
    if (after === null) return { import: page.import, lines };
  }
  throw new Error("unreachable");
}

export async function exportArchive(url: string, format: "archive" | "markdown" = "archive"): Promise<Buffer> {
  const response = await fetch(`${url}/api/export?format=${format}`);
  if (!response.ok) throw new Error(`the export was refused: ${response.status} ${await response.text()}`);
  return Buffer.from(await response.arrayBuffer());
}

export const notesOf = ({ lines }: ImportResult): readonly string[] =>
  lines.flatMap(({ kind, text }) => (kind === "note" ? [text] : []));

/** Every thread of the user, newest first. */
export async function listAll(client: Client) {
  const all: Awaited<ReturnType<Client["listThreads"]>>["threads"] = [];
  for (const archived of ["false", "true"] as const)
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: Awaited<ReturnType<Client["listThreads"]>> = await client.listThreads({
        query: { archived, limit: 200, ...(cursor === "" ? {} : { cursor }) },
      });
      all.push(...page.threads);
      cursor = page.nextCursor;
    }
  return all;
}
