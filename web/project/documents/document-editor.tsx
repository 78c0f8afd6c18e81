import { Eye, History, Link2, MessageSquarePlus, PanelLeft, Pencil } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { Response } from "../../../protocol/api.ts";
import { findKind, projectLimits } from "../../../protocol/project/kinds.ts";
import type { Entity } from "../../../protocol/project/project.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { focusSoon } from "../../lib/focus-soon.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { beginTab, toProjectPath } from "../../state/route.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { useMedia } from "../../lib/use-media.ts";
import { Select } from "../../ui/select.tsx";
import { EntityLinks } from "../entity/entity-links.tsx";
import { useProject } from "../../state/project/project-context.ts";
import { DocumentConflict } from "./document-conflict.tsx";
import { createDocument, type DocumentState, type OpenDocument } from "./open-document.ts";
import { Versions } from "./versions.tsx";
import { documents as strings } from "../../strings/project/documents.ts";
import { nameState, nameAll } from "../../labels/entities.ts";

const { editor } = strings;

type Props = { readonly loaded: Response<"getEntity">; readonly onShowTree: (() => void) | null };
type Mode = "write" | "read" | "versions" | "details";

/** One document. Wide screens show the editor next to a preview. */
export const DocumentEditor = ({ loaded: { entity, links }, onShowTree }: Props) => {
  const document = useOpenDocument(entity);
  useEffect(() => document.receive(entity), [document, entity]);
  useEffect(() => () => void document.flush(), [document]);
  const { title, body, save } = useSignal(document.state);
  const [mode, setMode] = useState<Mode>(entity.body === "" ? "write" : "read");
  const isNew = entity.title === strings.untitled && entity.body === "";
  const [hasNoTitle, setNoTitle] = useState(isNew);
  const titleField = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isNew) titleField.current?.focus();
    // Only when it is opened.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const writeTitle = (text: string) => {
    setNoTitle(text === "");
    document.change({ title: text === "" ? strings.untitled : text });
  };
  const goToText = () => {
    setMode("write");
    focusSoon(() => window.document.getElementById(bodyFieldId));
  };
  const isSplit = useMedia("(min-width: 90rem)") && mode === "write";
  return (
    <section aria-label={entity.title} className="flex h-full min-h-0 min-w-0 flex-1 flex-col">
      <Toolbar entityId={entity.id} mode={mode} save={save} onChoose={setMode} onShowTree={onShowTree} />
      {save.name === "stale" && <DocumentConflict mine={body} theirs={save.theirs} document={document} />}
      {save.name !== "stale" && (
        <div className={`min-h-0 flex-1 ${isSplit ? "grid grid-cols-2" : "flex flex-col"}`}>
          <div
            role="region"
            aria-label={editor.document}
            tabIndex={0}
            className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-4 pb-10 focus-visible:-outline-offset-2 sm:px-6"
          >
            <div className="mx-auto flex min-h-full max-w-3xl flex-col">
              <textarea
                ref={titleField}
                dir="auto"
                rows={1}
                aria-label={editor.title}
                placeholder={strings.untitled}
                value={hasNoTitle ? "" : title}
                maxLength={projectLimits.titleCharacters}
                onChange={(event) => writeTitle(event.target.value.replaceAll("\n", " "))}
                onKeyDown={(event) => {
                  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
                  event.preventDefault();
                  goToText();
                }}
                onBlur={() => void document.flush()}
                className="field-sizing-content w-full flex-none resize-none bg-transparent pt-2 pb-3 font-serif text-3xl leading-tight tracking-tight outline-none placeholder:text-soft/70"
              />
              {mode === "write" && <BodyField body={body} document={document} />}
              {mode === "read" && <Markdown text={body} streaming={false} />}
              {mode === "details" && <Details entity={entity} links={links} />}
              {mode === "versions" && <Versions entity={entity} />}
            </div>
          </div>
          {isSplit && (
            <div
              role="region"
              aria-label={editor.preview}
              tabIndex={0}
              className="min-h-0 overflow-y-auto overscroll-contain bg-sunk/50 px-8 py-4 focus-visible:-outline-offset-2"
            >
              <Markdown text={body} streaming={false} />
            </div>
          )}
        </div>
      )}
    </section>
  );
};

type ToolbarProps = {
  readonly entityId: string;
  readonly mode: Mode;
  readonly save: DocumentState["save"];
  readonly onChoose: (mode: Mode) => void;
  readonly onShowTree: (() => void) | null;
};

const Toolbar = ({ entityId, mode, save, onChoose, onShowTree }: ToolbarProps) => {
  const { projectId } = useProject();
  return (
    <header className="flex flex-none items-center gap-1 px-4 sm:px-6">
      {onShowTree && (
        <IconButton label={strings.all} className="-ms-2" onClick={onShowTree}>
          <PanelLeft aria-hidden="true" className="size-4.5 rtl:-scale-x-100" />
        </IconButton>
      )}
      <span role="status" className={`text-xs ${save.name === "stale" ? "text-danger" : "text-soft"}`}>
        {editor.save[save.name]}
      </span>
      <span className="ms-auto flex items-center gap-1">
        <ModeButton mode="write" now={mode} label={editor.write} Icon={Pencil} onChoose={onChoose} />
        <ModeButton mode="read" now={mode} label={editor.read} Icon={Eye} onChoose={onChoose} />
        <ModeButton mode="details" now={mode} label={editor.details} Icon={Link2} onChoose={onChoose} />
        <ModeButton mode="versions" now={mode} label={editor.versions} Icon={History} onChoose={onChoose} />
        <a
          href={toProjectPath(projectId, beginTab, entityId)}
          aria-label={editor.newThread}
          title={editor.newThread}
          className="icon-button"
        >
          <MessageSquarePlus aria-hidden="true" className="size-4.5" />
        </a>
      </span>
    </header>
  );
};

const bodyFieldId = "document-text";

const BodyField = ({ body, document }: { readonly body: string; readonly document: OpenDocument }) => (
  <textarea
    id={bodyFieldId}
    dir="auto"
    aria-label={editor.text}
    value={body}
    placeholder={editor.textHint}
    maxLength={projectLimits.bodyCharacters}
    onChange={(event) => document.change({ body: event.target.value })}
    onBlur={() => void document.flush()}
    onKeyDown={(event) => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void document.flush();
    }}
    className="field-sizing-content min-h-64 w-full flex-1 resize-none bg-transparent font-mono text-sm leading-relaxed outline-none placeholder:text-soft"
  />
);

const Details = ({ entity, links }: Pick<Response<"getEntity">, "entity" | "links">) => {
  const { writer } = useProject();
  const states = findKind(entity.kind)?.states ?? [entity.state];
  return (
    <div className="grid gap-6">
      <Select
        label={editor.state}
        value={entity.state}
        choices={states}
        words={nameAll(states, nameState)}
        className="w-fit"
        onChoose={(state) => void writer.act([{ do: "update", id: entity.id, version: entity.version, state }])}
      />
      <EntityLinks entityId={entity.id} links={links} />
    </div>
  );
};

/** Created once per editor, so that it stays open while the stored document changes. */
function useOpenDocument(stored: Entity): OpenDocument {
  const { storage } = usePage();
  const { writer } = useProject();
  const [open] = useState(() =>
    createDocument({
      stored,
      storage,
      write: (patch, version) => writer.act([{ do: "update", id: stored.id, version, ...patch }], { asks: true }),
    }),
  );
  return open;
}

type ModeProps = {
  readonly mode: Mode;
  readonly now: Mode;
  readonly label: string;
  readonly Icon: typeof Eye;
  readonly onChoose: (mode: Mode) => void;
};

const ModeButton = ({ mode, now, label, Icon, onChoose }: ModeProps) => (
  <IconButton
    label={label}
    aria-pressed={mode === now}
    className={mode === now ? "bg-hover text-ink" : ""}
    onClick={() => onChoose(mode)}
  >
    <Icon aria-hidden="true" className="size-4.5" />
  </IconButton>
);
