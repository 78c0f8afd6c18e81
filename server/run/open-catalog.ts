import { createCatalog, type Catalog, type GetCatalog } from "../tools/catalog.ts";

/** Tools that keep something about the person beyond the thread. */
const remembering = new Set(["working_memory"]);

const kept = new WeakMap<Catalog, Catalog>();

/** The tools of a person; in a temporary thread without those that remember. */
export async function openCatalog(
  deps: { readonly catalogOf: GetCatalog },
  userId: string,
  isTemporary: boolean,
): Promise<Catalog> {
  const catalog = await deps.catalogOf(userId);
  if (!isTemporary) return catalog;
  const known = kept.get(catalog) ?? createCatalog(catalog.tools.filter(({ name }) => !remembering.has(name)));
  kept.set(catalog, known);
  return known;
}
