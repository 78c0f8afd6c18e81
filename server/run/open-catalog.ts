import type { Preferences } from "../../protocol/settings/preferences.ts";
import { createFullCatalog, type Catalog, type GetCatalog } from "../tools/catalog.ts";
import { isCatalogTool } from "../tools/gate.ts";
import type { Tool } from "../tools/tool.ts";

/** Tools that store information about the user outside the thread. */
const memoryTools = new Set(["working_memory"]);

/** Smaller catalogs by the names that they leave out. */
const reduced = new WeakMap<Catalog, Map<string, Catalog>>();
const MAX_REDUCED = 64;

type Owner = {
  readonly ownerId: string;
  readonly isTemporary: boolean;
  /** Others read the thread. */
  readonly isShared?: boolean;
  readonly preferences: Pick<Preferences, "memory" | "disabledTools">;
};

/** The user's tools, without those they turned off. Temporary threads, and all threads while memory is off, get no memory tools; shared threads get no tools of one user. */
export async function openCatalog(
  deps: { readonly catalogOf: GetCatalog },
  { ownerId, isTemporary, isShared = false, preferences }: Owner,
): Promise<Catalog> {
  const catalog = await deps.catalogOf(ownerId);
  const hasNoMemory = isTemporary || !preferences.memory;
  const personal = isShared ? catalog.tools.flatMap(({ name, isPersonal }) => (isPersonal ? [name] : [])) : [];
  const off = new Set([
    ...preferences.disabledTools.map(catalog.nameOf),
    ...(hasNoMemory ? memoryTools : []),
    ...personal,
  ]);
  if (off.size === 0) return catalog;
  const known = reduced.get(catalog) ?? new Map<string, Catalog>();
  reduced.set(catalog, known);
  const key = [...off].toSorted().join();
  const found = known.get(key) ?? withoutTools(catalog, off);
  if (known.size >= MAX_REDUCED) known.clear();
  known.set(key, found);
  return found;
}

/** `find_tools` lists the tools of its catalog, so it is created again. */
function withoutTools(catalog: Catalog, off: ReadonlySet<string>): Catalog {
  const isKept = ({ name }: Tool): boolean => !off.has(name) && !isCatalogTool(name);
  return createFullCatalog(catalog.tools.filter(isKept));
}
