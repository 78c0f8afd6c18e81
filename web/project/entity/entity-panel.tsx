import { MessageSquarePlus, Trash2, X } from "lucide-react";
import type { Response } from "../../../protocol/api.ts";
import { isEnded } from "../../../protocol/project/kinds.ts";
import { toMoment } from "../../lib/time.ts";
import { SidePanel } from "../../ui/side-panel.tsx";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { beginTab, toProjectPath } from "../../state/route.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { ActRow } from "../act-row.tsx";
import { useActs } from "../use-acts.ts";
import { useNow } from "../../lib/use-now.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { useState } from "react";
import { EntityLink } from "../entity-link.tsx";
import { KindMark, StateMark } from "../entity-marks.tsx";
import { QuickAdd } from "../quick-add.tsx";
import { Failed, Quiet, Section, Waiting } from "../../ui/section.tsx";
import { overlayEntity } from "../../state/project/overlay.ts";
import { useProject, useProjectLoad } from "../../state/project/project-context.ts";
import { capital } from "../../lib/format.ts";
import { EntityForm } from "./entity-form.tsx";
import { EntityLinks } from "./entity-links.tsx";
import { EntityText } from "./entity-text.tsx";
import { actions } from "../../strings/actions.ts";
import { project as strings } from "../../strings/project/page.ts";
import { nameKind } from "../../labels/entities.ts";

type Props = { readonly entityId: string; readonly onClose: () => void };

/** Details of one entity, next to the current view. */
export const EntityPanel = ({ entityId, onClose }: Props) => {
  const { client } = usePage();
  const { projectId } = useProject();
  const { state, reload } = useProjectLoad(`${projectId} ${entityId}`, (signal) =>
    client.getEntity({ params: { projectId, entityId } }, signal),
  );
  const kind = state.phase === "ready" ? capital(nameKind(state.value.entity.kind)) : "";
  return (
    <SidePanel label={kind || strings.entity.details} isFull onClose={onClose}>
      {(title) => (
        <div className="flex h-full flex-col">
          <header className="flex flex-none items-center gap-2 px-5 pt-[max(0.75rem,env(safe-area-inset-top))] pb-1">
            {state.phase === "ready" && <KindMark kind={state.value.entity.kind} className="size-4.5" />}
            {title(kind || strings.entity.details)}
            {state.phase === "ready" && <Actions loaded={state.value} onClose={onClose} />}
            <IconButton label={actions.close} className="-me-2" onClick={onClose}>
              <X aria-hidden="true" className="size-4.5" />
            </IconButton>
          </header>
          <div
            role="region"
            aria-label={strings.entity.details}
            tabIndex={0}
            className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pb-8 focus-visible:-outline-offset-2"
          >
            {state.phase === "loading" && <Waiting />}
            {state.phase === "failed" && <Failed text={state.text} onRetry={reload} />}
            {state.phase === "ready" && <EntityDetails key={entityId} loaded={state.value} />}
          </div>
        </div>
      )}
    </SidePanel>
  );
};

type LoadedEntity = Response<"getEntity">;

const Actions = ({ loaded: { entity }, onClose }: { readonly loaded: LoadedEntity; readonly onClose: () => void }) => {
  const { projectId, writer } = useProject();
  const remove = async () => {
    onClose();
    await writer.act([{ do: "delete", id: entity.id, version: entity.version }], { offer: true });
  };
  return (
    <>
      <a
        href={toProjectPath(projectId, beginTab, entity.id)}
        aria-label={strings.newThreadAbout(entity.title)}
        title={strings.entity.newThread}
        className="icon-button"
      >
        <MessageSquarePlus aria-hidden="true" className="size-4.5" />
      </a>
      <IconButton label={strings.entity.delete(nameKind(entity.kind))} onClick={() => void remove()}>
        <Trash2 aria-hidden="true" className="size-4.5" />
      </IconButton>
    </>
  );
};

const EntityDetails = ({ loaded: { entity: stored, path, children, links } }: { readonly loaded: LoadedEntity }) => {
  const { projectId, writer } = useProject();
  const entity = overlayEntity(stored, useSignal(writer.overlay));
  return (
    <div className="grid gap-6 [&>*]:min-w-0">
      <div>
        {path.length > 0 && (
          <nav aria-label={strings.entity.path} className="-mx-2.5 flex flex-wrap text-soft">
            {path.map((line) => (
              <EntityLink key={line.id} projectId={projectId} entity={line} />
            ))}
          </nav>
        )}
        <EntityForm entity={entity} />
      </div>
      <EntityText key={entity.id} entity={entity} />
      <Section
        title={entity.kind === "document" ? strings.entity.childDocuments : strings.entity.subtasks}
        count={children.length}
      >
        <ul className="-mx-2.5">
          {children.map((line) => (
            <li key={line.id}>
              <EntityLink projectId={projectId} entity={line} isDone={isEnded(line.kind, line.state)}>
                <StateMark kind={line.kind} state={line.state} />
              </EntityLink>
            </li>
          ))}
        </ul>
        <QuickAdd
          kind={entity.kind === "document" ? "document" : "task"}
          given={{ parentId: entity.id }}
          className="-mx-2.5"
        />
      </Section>
      <EntityLinks entityId={entity.id} links={links} />
      <EntityHistory entityId={entity.id} />
      <p className="text-xs text-soft">
        {strings.entity.dates(toMoment(entity.createdAt), toMoment(entity.updatedAt))}
      </p>
    </div>
  );
};

/** Activity of one entity, loaded when opened. */
const EntityHistory = ({ entityId }: { readonly entityId: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <Disclosure label={strings.activity.history} onToggle={setOpen}>
      {isOpen && <HistoryList entityId={entityId} />}
    </Disclosure>
  );
};

const HistoryList = ({ entityId }: { readonly entityId: string }) => {
  const { phase, text, acts, hasMore, more } = useActs(entityId, 20);
  const now = useNow();
  return (
    <div className="ps-1">
      {phase === "loading" && <Waiting />}
      {phase === "failed" && <Quiet>{text}</Quiet>}
      {acts.map((act) => (
        <ActRow key={act.id} act={act} now={now} />
      ))}
      {hasMore && (
        <button type="button" className="plain-button min-h-8" onClick={more}>
          {strings.activity.showEarlier}
        </button>
      )}
    </div>
  );
};
