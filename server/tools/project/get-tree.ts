import type { Reads } from "../../store/contract.ts";

type Node = { readonly id: string; readonly title: string; readonly state: string; readonly kind: string };
type Row = Node & { readonly parent: string | null; readonly position: number };

const MOST_READ = 2000;
const MOST_TOLD = 250;

/** The tree of a project's documents, or of whatever is below one thing, as an outline: the upper levels first. */
export async function getTree(read: Reads, project: string, root: string | undefined) {
  const rows = root === undefined ? await readDocuments(read, project) : await readBelow(read, project, root);
  const known = new Set(rows.map(({ id }) => id));
  const below = Map.groupBy(rows, ({ parent }) => (parent !== null && known.has(parent) ? parent : ROOT));
  const told = chooseTold(below);
  const tree = outline(below, told, ROOT, 0).join("\n");
  const rest = rows.length - told.size;
  return {
    ...(root === undefined ? {} : { below: root }),
    total: rows.length,
    tree: tree === "" ? "(nothing)" : tree,
    ...(rest > 0 ? { note: `${rest} deeper ones are not told: ask for the tree below one of these.` } : {}),
    ...(rows.length >= MOST_READ ? { cut: `Only ${MOST_READ} were read.` } : {}),
  };
}

const ROOT = "";

const readDocuments = (read: Reads, project: string): Promise<readonly Row[]> =>
  read.entityPage({ project, kind: "document" }, { sort: "position", after: null, limit: MOST_READ });

async function readBelow(read: Reads, project: string, root: string): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let level = [root]; level.length > 0 && found.length < MOST_READ;) {
    const rows = await read.childrenOf(project, level, MOST_READ - found.length);
    found.push(...rows);
    level = rows.map(({ id }) => id);
  }
  return found;
}

/** Level by level, so that what is left out is what lies deepest. */
function chooseTold(below: ReadonlyMap<string, readonly Row[]>): ReadonlySet<string> {
  const told = new Set<string>();
  for (let level = [ROOT]; level.length > 0;) {
    const next = level.flatMap((id) => below.get(id) ?? []).map(({ id }) => id);
    for (const id of next) if (told.size < MOST_TOLD) told.add(id);
    level = next.filter((id) => told.has(id));
  }
  return told;
}

function outline(
  below: ReadonlyMap<string, readonly Row[]>,
  told: ReadonlySet<string>,
  parent: string,
  depth: number,
): readonly string[] {
  const rows = (below.get(parent) ?? []).toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  return rows
    .filter(({ id }) => told.has(id))
    .flatMap(({ id, title, state, kind }) => {
      const hidden = (below.get(id) ?? []).filter((child) => !told.has(child.id)).length;
      const more = hidden > 0 ? ` (+${hidden} below)` : "";
      const what = kind === "document" ? state : `${kind}, ${state}`;
      return [
        `${"  ".repeat(depth)}- ${title.replaceAll(/\s+/g, " ")} [${id}] ${what}${more}`,
        ...outline(below, told, id, depth + 1),
      ];
    });
}
