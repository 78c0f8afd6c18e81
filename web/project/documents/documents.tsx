import { FilePlus2, Search } from "lucide-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { createShortId } from "../../lib/ids.ts";
import { usePage } from "../../state/page.ts";
import { toProjectPath } from "../../state/route.ts";
import { useMedia } from "../../lib/use-media.ts";
import { Failed, Quiet, Waiting } from "../../ui/section.tsx";
import { useProject, useProjectLoad } from "../../state/project/project-context.ts";
import { useEntities } from "../../state/project/use-entities.ts";
import { DocumentEditor } from "./document-editor.tsx";
import { DocumentTree } from "./document-tree.tsx";
import type { TreeActions } from "./tree-node.tsx";
import { filterTree, pathTo, toDropMove, toRows, toTree, toTreeMove, type Tree } from "./tree-rows.ts";

const kind = "document";
const isDocument = (line: EntityLine): boolean => line.kind === kind;

/** The tree of documents, and the one that is open beside it. */
export const Documents = ({ openId }: { readonly openId: string | null }) => {
  const { go } = usePage();
  const { projectId } = useProject();
  const { lines, phase, text, hasMore, more, reload } = useEntities({ kind, sort: "position", limit: 500 }, isDocument);
  // The whole tree is read: whether something stands below a document can only be told by all of them.
  useEffect(() => {
    if (hasMore) more();
  }, [hasMore, more]);
  const tree = useMemo(() => toTree(lines), [lines]);
  const { open, toggle } = useOpen(tree, openId);
  const [words, setWords] = useState("");
  const rows = useMemo(() => (words.trim() === "" ? toRows(tree, open) : filterTree(tree, words)), [tree, open, words]);
  const show = useCallback((id: string | null) => go(toProjectPath(projectId, "documents", id)), [go, projectId]);
  const actions = useActions({ tree, toggle, show, openId });
  const isWide = useMedia("(min-width: 64rem)");
  const hasTree = isWide || openId === null;
  return (
    <div className="flex min-h-0 flex-1">
      {hasTree && (
        <div className={`flex min-h-0 flex-col ${isWide ? "w-72 flex-none" : "flex-1"}`}>
          <div className="flex flex-none items-center gap-2 px-4 pb-2 sm:ps-8 lg:pe-2">
            <span className="relative min-w-0 flex-1">
              <Search aria-hidden="true" className="pointer-events-none absolute start-3 top-2.5 size-4 text-soft" />
              <input
                type="search"
                dir="auto"
                aria-label="Find a document by its title"
                placeholder="Find"
                value={words}
                onChange={(event) => setWords(event.target.value)}
                className="h-9 w-full rounded-xl bg-hover ps-9 pe-3 text-sm placeholder:text-soft pointer-coarse:h-11"
              />
            </span>
            <button
              type="button"
              aria-label="New document"
              title="New document"
              className="icon-button"
              onClick={() => actions.add(null)}
            >
              <FilePlus2 aria-hidden="true" className="size-4.5" />
            </button>
          </div>
          <div className="flex min-h-0 flex-1 flex-col sm:ps-6 lg:pe-0">
            {phase === "loading" && <Waiting />}
            {phase === "failed" && <Failed text={text} onRetry={reload} />}
            {phase === "ready" && lines.length === 0 && <Empty onAdd={() => actions.add(null)} />}
            {lines.length > 0 && rows.length === 0 && <Quiet>No title holds these words.</Quiet>}
            <DocumentTree rows={rows} openId={openId} actions={actions} />
          </div>
        </div>
      )}
      {openId !== null && <Shown key={openId} entityId={openId} onShowTree={isWide ? null : () => show(null)} />}
      {openId === null && isWide && lines.length > 0 && (
        <p className="grid flex-1 place-items-center pb-24 text-sm text-soft">Choose a document to read or write it.</p>
      )}
    </div>
  );
};

const Empty = ({ onAdd }: { readonly onAdd: () => void }) => (
  <div className="grid justify-items-start gap-3 px-4 py-6 text-sm text-soft sm:px-2">
    <p>No documents yet. They stand in a tree, each with others below it.</p>
    <button type="button" className="plain-button strong-button" onClick={onAdd}>
      Write the first
    </button>
  </div>
);

type ShownProps = { readonly entityId: string; readonly onShowTree: (() => void) | null };

const Shown = ({ entityId, onShowTree }: ShownProps) => {
  const { client } = usePage();
  const { projectId } = useProject();
  const { state, reload } = useProjectLoad(
    `${projectId} ${entityId}`,
    (signal) => client.getEntity({ params: { projectId, entityId } }, signal),
    { of: [entityId] },
  );
  if (state.phase === "ready") return <DocumentEditor found={state.value} onShowTree={onShowTree} />;
  return (
    <div className="flex-1 px-6">
      {state.phase === "loading" ? <Waiting /> : <Failed text={state.text} onRetry={reload} />}
      {state.phase === "failed" && onShowTree && (
        <button type="button" className="plain-button" onClick={onShowTree}>
          All documents
        </button>
      )}
    </div>
  );
};

/** Which are open, kept in the browser; the way to the one that is shown always is. */
function useOpen(tree: Tree, openId: string | null) {
  const { storage } = usePage();
  const { projectId } = useProject();
  const key = `tree.${projectId}`;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(storage.get(key)?.split(" ") ?? []));
  const path = useMemo(() => (openId === null ? [] : pathTo(tree, openId)), [tree, openId]);
  useEffect(() => {
    setChosen((before) => (path.every((id) => before.has(id)) ? before : new Set([...before, ...path])));
  }, [path]);
  const toggle = useCallback(
    (id: string, isOpen: boolean) =>
      setChosen((before) => {
        const next = new Set(before);
        if (isOpen) next.add(id);
        else next.delete(id);
        storage.set(key, [...next].join(" "));
        return next;
      }),
    [storage, key],
  );
  return { open: chosen, toggle };
}

type ActionOptions = {
  readonly tree: Tree;
  readonly openId: string | null;
  readonly toggle: (id: string, isOpen: boolean) => void;
  readonly show: (id: string | null) => void;
};

function useActions({
  tree,
  openId,
  toggle,
  show,
}: ActionOptions): TreeActions & { add: (parentId: string | null) => void } {
  const { writer } = useProject();
  return useMemo(() => {
    const move = (op: ReturnType<typeof toTreeMove>): boolean => {
      if (op?.do !== "move") return false;
      if (op.parentId !== null) toggle(op.parentId, true);
      void writer.act([op], { offer: true });
      return true;
    };
    const add = (parentId: string | null) => {
      const id = createShortId();
      if (parentId !== null) toggle(parentId, true);
      void writer.act([{ do: "create", id, kind, title: "Untitled", parentId }]).then(({ name }) => {
        if (name === "done") show(id);
      });
    };
    return {
      add,
      toggle,
      show,
      addBelow: add,
      moveBy: (id, key) => move(toTreeMove(tree, id, key)),
      drop: (drop) => void move(toDropMove(tree, drop)),
      rename: (id, title) => {
        const line = tree.byId.get(id);
        if (line) void writer.act([{ do: "update", id, version: line.version, title }]);
      },
      remove: (id) => {
        const line = tree.byId.get(id);
        if (!line) return;
        if (id === openId || pathTo(tree, openId ?? "").includes(id)) show(null);
        void writer.act([{ do: "delete", id, version: line.version }], { offer: true });
      },
    };
  }, [tree, openId, toggle, show, writer]);
}
