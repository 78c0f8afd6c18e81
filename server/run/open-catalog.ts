import { createCatalog, type Catalog, type GetCatalog } from "../tools/catalog.ts";

/** Tools that store information about the user outside the thread. */
const memoryTools = new Set(["working_memory"]);

const withoutMemory = new WeakMap<Catalog, Catalog>();

/** The user's tools. Temporary threads get no memory tools. */
export async function openCatalog(
  deps: { readonly catalogOf: GetCatalog },
  userId: string,
  isTemporary: boolean,
): Promise<Catalog> {
  const catalog = await deps.catalogOf(userId);
  if (!isTemporary) return catalog;
  const known = withoutMemory.get(catalog) ?? createCatalog(catalog.tools.filter(({ name }) => !memoryTools.has(name)));
  withoutMemory.set(catalog, known);
  return known;
}
