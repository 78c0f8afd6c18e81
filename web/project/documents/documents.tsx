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
import { documents as strings } from "../../strings/project/documents.ts";

const kind = "document";
const isDocument = (line: EntityLine): boolean => line.kind === kind;

/** The tree of documents and the open document. */
export const Documents = ({ openId }: { readonly openId: string | null }) => {
  const { go } = usePage();
  const { projectId } = useProject();
  const { lines, phase, text, hasMore, more, reload } = useEntities({ kind, sort: "position", limit: 500 }, isDocument);
  // Loads all pages: only the whole list shows which documents have children.
  useEffect(() => {
    if (hasMore) more();
  }, [hasMore, more]);
  const tree = useMemo(() => toTree(lines), [lines]);
  const { expanded, toggle } = useExpanded(tree, openId);
  const [query, setQuery] = useState("");
  const rows = useMemo(
    () => (query.trim() === "" ? toRows(tree, expanded) : filterTree(tree, query)),
    [tree, expanded, query],
  );
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
              <Search
                aria-hidden="true"
                className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-soft"
              />
              <input
                type="search"
                dir="auto"
                aria-label={strings.findLabel}
                placeholder={strings.find}
                value={query}
                onChange={(event) => setQuery(event.target.value)}
                className="h-9 w-full rounded-xl bg-hover ps-9 pe-3 text-sm placeholder:text-soft pointer-coarse:h-11"
              />
            </span>
            <button
              type="button"
              aria-label={strings.new}
              title={strings.new}
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
            {lines.length > 0 && rows.length === 0 && <Quiet>{strings.noMatch}</Quiet>}
            <DocumentTree rows={rows} openId={openId} actions={actions} />
          </div>
        </div>
      )}
      {openId !== null && <OpenDocument key={openId} entityId={openId} onShowTree={isWide ? null : () => show(null)} />}
      {openId === null && isWide && lines.length > 0 && (
        <p className="grid flex-1 place-items-center pb-24 text-sm text-soft">{strings.choose}</p>
      )}
    </div>
  );
};

const Empty = ({ onAdd }: { readonly onAdd: () => void }) => (
  <div className="grid justify-items-start gap-3 px-4 py-6 text-sm text-soft sm:px-2">
    <p>{strings.empty}</p>
    <button type="button" className="plain-button strong-button" onClick={onAdd}>
      {strings.create}
    </button>
  </div>
);

type OpenProps = { readonly entityId: string; readonly onShowTree: (() => void) | null };

const OpenDocument = ({ entityId, onShowTree }: OpenProps) => {
  const { client } = usePage();
  const { projectId } = useProject();
  const { state, reload } = useProjectLoad(
    `${projectId} ${entityId}`,
    (signal) => client.getEntity({ params: { projectId, entityId } }, signal),
    { of: [entityId] },
  );
  if (state.phase === "ready") return <DocumentEditor loaded={state.value} onShowTree={onShowTree} />;
  return (
    <div className="flex-1 px-6">
      {state.phase === "loading" ? <Waiting /> : <Failed text={state.text} onRetry={reload} />}
      {state.phase === "failed" && onShowTree && (
        <button type="button" className="plain-button" onClick={onShowTree}>
          {strings.all}
        </button>
      )}
    </div>
  );
};

/** Expanded documents, in browser storage. The parents of the open document are always expanded. */
function useExpanded(tree: Tree, openId: string | null) {
  const { storage } = usePage();
  const { projectId } = useProject();
  const key = `tree.${projectId}`;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(() => new Set(storage.get(key)?.split(" ") ?? []));
  const path = useMemo(() => (openId === null ? [] : pathTo(tree, openId)), [tree, openId]);
  useEffect(() => {
    setExpanded((before) => (path.every((id) => before.has(id)) ? before : new Set([...before, ...path])));
  }, [path]);
  const toggle = useCallback(
    (id: string, isOpen: boolean) =>
      setExpanded((before) => {
        const next = new Set(before);
        if (isOpen) next.add(id);
        else next.delete(id);
        storage.set(key, [...next].join(" "));
        return next;
      }),
    [storage, key],
  );
  return { expanded, toggle };
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
      void writer.act([{ do: "create", id, kind, title: strings.untitled, parentId }]).then(({ name }) => {
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
