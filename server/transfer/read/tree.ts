import type { PlainRow } from "../tables.ts";
import { hashId, toId, type ForeignNode, type ForeignPart } from "./foreign.ts";

/** Nodes that become one message: an answer may have several, with its tool calls and their results. */
export type Group = {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly nodes: ForeignNode[];
  readonly parent: Group | null;
  readonly children: Group[];
};

/**
 * Groups nodes into messages, parents first. Empty nodes are left out, and their children move up. A missing parent makes a root; a
 * cycle is opened at its first node. Nodes with the same id get different ones. Nothing is recursive: trees may be deep.
 */
export function toGroups(given: readonly ForeignNode[]): {
  readonly groups: readonly Group[];
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const nodes = makeUnique(given, notes);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const childrenOf = new Map<string, ForeignNode[]>();
  const roots: ForeignNode[] = [];
  let missing = 0;
  for (const node of nodes) {
    const parent = node.parent === null || node.parent === node.id ? undefined : byId.get(node.parent);
    if (node.parent !== null && !parent) missing += 1;
    if (!parent) roots.push(node);
    else {
      const known = childrenOf.get(parent.id);
      if (known) known.push(node);
      else childrenOf.set(parent.id, [node]);
    }
  }
  if (missing > 0) notes.push(`Messages that refer to one that is not in the file: ${missing}. Each begins a branch.`);
  const groups: Group[] = [];
  const seen = new Set<string>();
  const walk = (root: ForeignNode): void => {
    const open: {
      readonly node: ForeignNode;
      readonly parent: Group | null;
      readonly carried: readonly ForeignPart[];
      readonly isOnly: boolean;
    }[] = [{ node: root, parent: null, carried: [], isOnly: false }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { node, parent, carried, isOnly } = next;
      if (seen.has(node.id)) continue;
      seen.add(node.id);
      const children = (childrenOf.get(node.id) ?? []).filter(({ id }) => !seen.has(id));
      const parts = [...carried, ...node.parts];
      const isAside = node.role === "system" && children.length > 0;
      let here = parent;
      if (!isAside && parts.length > 0) here = addNode(groups, { ...node, parts }, parent, isOnly);
      for (const [index, child] of [...children.entries()].toReversed()) {
        // Instructions are shown with the first message that follows them.
        const brought = isAside && index === 0 ? parts : [];
        const isOnlyChild = children.length === 1 && (here !== parent || isOnly || parent === null);
        open.push({ node: child, parent: here, carried: brought, isOnly: isOnlyChild });
      }
    }
  };
  for (const root of roots) walk(root);
  let cycles = 0;
  for (const node of nodes) {
    if (seen.has(node.id)) continue;
    cycles += 1;
    walk(node);
  }
  if (cycles > 0)
    notes.push(
      `Messages refer to each other in ${cycles === 1 ? "a cycle" : `${cycles} cycles`}, broken at the first message.`,
    );
  return { groups, notes };
}

function addNode(groups: Group[], node: ForeignNode, parent: Group | null, isOnly: boolean): Group {
  const role = node.role === "user" ? "user" : "assistant";
  if (parent && isOnly && role === "assistant" && parent.role === "assistant") {
    parent.nodes.push(node);
    return parent;
  }
  const group: Group = { id: toId(node.id), role, nodes: [node], parent, children: [] };
  parent?.children.push(group);
  groups.push(group);
  return group;
}

function makeUnique(nodes: readonly ForeignNode[], notes: string[]): readonly ForeignNode[] {
  const seen = new Set<string>();
  let doubled = 0;
  const unique = nodes.map((node, index) => {
    const id = seen.has(toId(node.id)) ? hashId(node.id, String(index)) : node.id;
    if (id !== node.id) doubled += 1;
    seen.add(toId(id));
    return id === node.id ? node : { ...node, id };
  });
  if (doubled > 0) notes.push(`Messages with the id of another message: ${doubled}. They got other ids.`);
  return unique;
}

export type GroupPlace = { readonly branch: string; readonly depth: number };

/** Branches and depths: the first child continues its parent's branch, every other one opens a branch. */
export function placeGroups(groups: readonly Group[], root: string) {
  const places = new Map<Group, GroupPlace>();
  const tips = new Map<string, number>([[root, 0]]);
  const branches: { id: string; parent: string | null; fork_depth: number }[] = [
    { id: root, parent: null, fork_depth: 0 },
  ];
  let hasRoot = false;
  for (const group of groups) {
    const above = group.parent ? places.get(group.parent) : { branch: root, depth: 0 };
    if (!above) continue;
    const continues = group.parent ? group.parent.children[0] === group : !hasRoot;
    if (!group.parent) hasRoot = true;
    const branch = continues ? above.branch : hashId(root, group.id);
    if (!continues) branches.push({ id: branch, parent: above.branch, fork_depth: above.depth });
    places.set(group, { branch, depth: above.depth + 1 });
    tips.set(branch, Math.max(tips.get(branch) ?? 0, above.depth + 1));
  }
  return {
    places,
    tips,
    root,
    branches: branches.map((row): PlainRow & { readonly id: string } => ({
      ...row,
      tip: tips.get(row.id) ?? row.fork_depth,
    })),
  };
}
