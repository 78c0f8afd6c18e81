import type { Reads } from "../../store/contract.ts";

type Node = { readonly id: string; readonly title: string; readonly state: string; readonly kind: string };
type Row = Node & { readonly parent: string | null; readonly position: number };

const MAX_READ = 2000;
const MAX_LISTED = 250;

/** An outline of a project's documents or of an entity's descendants. Deep levels are left out first. */
export async function getTree(read: Reads, project: string, root: string | undefined) {
  const rows = root === undefined ? await readDocuments(read, project) : await readBelow(read, project, root);
  const known = new Set(rows.map(({ id }) => id));
  const below = Map.groupBy(rows, ({ parent }) => (parent !== null && known.has(parent) ? parent : ROOT));
  const listed = chooseListed(below);
  const tree = outline(below, listed, ROOT, 0).join("\n");
  const rest = rows.length - listed.size;
  return {
    ...(root === undefined ? {} : { below: root }),
    total: rows.length,
    tree: tree === "" ? "(empty)" : tree,
    ...(rest > 0 ? { note: `${rest} deeper entities are not listed. Ask for the tree below one of these.` } : {}),
    ...(rows.length >= MAX_READ ? { cut: `Only the first ${MAX_READ} were read.` } : {}),
  };
}

const ROOT = "";

const readDocuments = (read: Reads, project: string): Promise<readonly Row[]> =>
  read.entityPage({ project, kind: "document" }, { sort: "position", after: null, limit: MAX_READ });

async function readBelow(read: Reads, project: string, root: string): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let level = [root]; level.length > 0 && found.length < MAX_READ;) {
    const rows = await read.childrenOf(project, level, MAX_READ - found.length);
    found.push(...rows);
    level = rows.map(({ id }) => id);
  }
  return found;
}

/** Level by level, so that the deepest entities are left out. */
function chooseListed(below: ReadonlyMap<string, readonly Row[]>): ReadonlySet<string> {
  const listed = new Set<string>();
  for (let level = [ROOT]; level.length > 0;) {
    const next = level.flatMap((id) => below.get(id) ?? []).map(({ id }) => id);
    for (const id of next) if (listed.size < MAX_LISTED) listed.add(id);
    level = next.filter((id) => listed.has(id));
  }
  return listed;
}

function outline(
  below: ReadonlyMap<string, readonly Row[]>,
  listed: ReadonlySet<string>,
  parent: string,
  depth: number,
): readonly string[] {
  const rows = (below.get(parent) ?? []).toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  return rows
    .filter(({ id }) => listed.has(id))
    .flatMap(({ id, title, state, kind }) => {
      const hidden = (below.get(id) ?? []).filter((child) => !listed.has(child.id)).length;
      const more = hidden > 0 ? ` (+${hidden} below)` : "";
      const what = kind === "document" ? state : `${kind}, ${state}`;
      return [
        `${"  ".repeat(depth)}- ${title.replaceAll(/\s+/g, " ")} [${id}] ${what}${more}`,
        ...outline(below, listed, id, depth + 1),
      ];
    });
}
