import { Hourglass, Command, ScanEye, Server } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import type { ModelInfo } from "../../protocol/api.ts";
import { createId } from "../lib/ids.ts";
import { Composer, type ComposerHandle } from "../composer/composer.tsx";
import { ModelPicker } from "../composer/model-picker.tsx";
import { lastModelKey, usualProfile, type Choice } from "../labels/choice.ts";
import type { ProjectThread } from "../project/thread/start-options.tsx";
import { DrawerButton } from "../ui/drawer-button.tsx";
import { useSignal, useSelected } from "../lib/signal.ts";
import type { Create } from "../state/outbox.ts";
import { defaultThreadOptions, usePage } from "../state/page.ts";
import type { ProjectRoute } from "../state/route.ts";
import { toAccount, welcomeKey } from "../state/account/use-account.ts";
import { useProfileSource } from "../state/use-profiles.ts";
import { Bird } from "../ui/bird.tsx";
import { LinkNote } from "../ui/link-note.tsx";
import { thread as strings } from "../strings/thread.ts";
import { OfflineHint } from "./offline-hint.tsx";
import { accountChunk, lazyChunk } from "../lib/lazy-chunk.ts";
import { canUse, isFailing, isOnlyOffline } from "../labels/model.ts";
import { builderProfile, toProjectName } from "../labels/builder.ts";
import { own } from "../lib/own.ts";

const Welcome = accountChunk(() => import("../account/welcome.tsx"));
const LateProject = lazyChunk(() => import("../project/lazy-project.tsx"));

/** A thread that does not exist yet: it is created with its first message, under an id chosen here. */
export const StartPage = ({ project }: { readonly project?: ProjectRoute }) => {
  const { outbox, storage, session, list, drafts, threadOptions, note, goTo } = usePage();
  const models = useSignal(session.models);
  const chosen = useSignal(threadOptions);
  const composer = useRef<ComposerHandle>(null);
  const [projectThread, setProjectThread] = useState<ProjectThread | null>(() =>
    project ? toProjectThread(project) : null,
  );
  // null: a new project.
  const [builderProject, setBuilderProject] = useState<string | null>(null);
  const model = useStartModel(chosen.model);
  const profile = projectThread?.profile ?? chosen.profile ?? usualProfile;
  const choice: Choice = { model, profile, effort: chosen.effort };
  const choose = (change: Partial<Choice>) => {
    if (change.model !== undefined) storage.set(lastModelKey, change.model);
    if (projectThread && change.profile !== undefined) setProjectThread({ ...projectThread, profile: change.profile });
    threadOptions.set({ ...chosen, ...change });
  };
  const isTemporary = chosen.temporary && !projectThread;
  const source = useProfileSource(profile);
  const isBuilder = source === builderProfile && !projectThread && !isTemporary;
  const owner = project ? `new.${project.projectId}` : isTemporary ? "new.temporary" : "new";

  const send = (text: string, _mode: "queue" | "steer", attachments: readonly string[]) => {
    const threadId = createId();
    const newProject = isBuilder && builderProject === null ? { id: createId(), name: toProjectName(text) } : null;
    const projectId = newProject?.id ?? builderProject;
    const place = toPlace({ projectThread, projectId: isBuilder ? projectId : null, isTemporary });
    outbox.send({
      threadId,
      text,
      mode: "queue",
      attachments,
      create: { ...toChosen(choice), ...place },
      ...(newProject ? { project: newProject } : {}),
      ...(owner === "new" ? { draft: "first" } : {}),
    });
    if (newProject) note.set(strings.start.createdProject(newProject.name));
    if (!isTemporary) drafts.remember(text);
    threadOptions.set(defaultThreadOptions);
    goTo(threadId);
  };
  return (
    <>
      <header className="flex h-13 flex-none items-center gap-2 px-3 sm:px-5">
        <DrawerButton />
        <span className="ms-auto">
          <LinkNote isWaiting={useSignal(list.link) === "waiting"} />
        </span>
        {!projectThread && (
          <TemporaryToggle
            isTemporary={isTemporary}
            onToggle={() => threadOptions.set({ ...chosen, temporary: !isTemporary })}
          />
        )}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0} role="region" aria-label={strings.start.label}>
        <div className="mx-auto flex min-h-full w-full max-w-2xl flex-col justify-center gap-6 px-4 py-6 sm:px-6">
          <Heading isTemporary={isTemporary} />
          <div>
            {projectThread && (
              <Suspense fallback={<div className="mb-3 h-21" />}>
                <LateProject start={{ value: projectThread, onChange: setProjectThread }} />
              </Suspense>
            )}
            {isBuilder && (
              <Suspense fallback={<div className="mb-3 h-8" />}>
                <LateProject builder={{ projectId: builderProject, onPick: setBuilderProject }} />
              </Suspense>
            )}
            <Composer
              key={owner}
              ref={composer}
              owner={owner}
              target={{
                threadId: null,
                projectId: projectThread?.projectId ?? (isBuilder ? builderProject : null),
                model,
                profile,
              }}
              running={false}
              onSend={send}
              onStop={() => undefined}
            >
              <ModelPicker value={choice} onChange={choose} />
            </Composer>
            {!projectThread && (
              <Samples profile={source} models={models} onPick={(text) => composer.current?.write(text)} />
            )}
          </div>
          <AdminWelcome />
          <OfflineHint />
          {!projectThread && !isTemporary && <Introduction />}
        </div>
      </div>
    </>
  );
};

/** The model that was picked here, or used last; the default if it cannot be used. */
function useStartModel(chosen: string | null | undefined): string {
  const { storage, session } = usePage();
  const state = useSignal(session.state);
  const models = useSignal(session.models);
  const last = storage.get(lastModelKey);
  const picked = chosen ?? (last !== null && isFailing(models, last) ? null : last);
  const isUsable = picked !== null && canUse(models, picked);
  const defaultModel = state.phase === "signed-in" ? state.me.defaultModel : "";
  return picked && isUsable ? picked : defaultModel;
}

type PlaceOptions = {
  readonly projectThread: ProjectThread | null;
  /** The project that the thread builds, if any. */
  readonly projectId: string | null;
  readonly isTemporary: boolean;
};

function toPlace({ projectThread, projectId, isTemporary }: PlaceOptions): Create {
  if (projectThread) return toCreate(projectThread);
  if (projectId !== null) return { projectId };
  return isTemporary ? { temporary: true } : {};
}

type ToggleProps = { readonly isTemporary: boolean; readonly onToggle: () => void };

const TemporaryToggle = ({ isTemporary, onToggle }: ToggleProps) => (
  <button
    type="button"
    aria-pressed={isTemporary}
    title={strings.temporary.hint}
    className={`plain-button rounded-full ${isTemporary ? "bg-accent-wash text-accent-strong" : "bg-transparent font-normal text-soft"}`}
    onClick={onToggle}
  >
    <Hourglass aria-hidden="true" className="size-4" />
    {strings.temporary.name}
  </button>
);

const Heading = ({ isTemporary }: Pick<ToggleProps, "isTemporary">) => (
  <div className="flex flex-col items-center gap-3 text-center">
    <Bird className="size-14" />
    <h1 className="font-serif text-3xl tracking-tight sm:text-4xl">{strings.start.heading}</h1>
    {isTemporary && <p className="max-w-md text-pretty text-soft">{strings.temporary.about}</p>}
  </div>
);

/** For the admin who has just set up the server. */
const AdminWelcome = () => {
  const { session, storage } = usePage();
  const state = useSignal(session.state);
  if (toAccount(state)?.role !== "admin" || storage.get(welcomeKey) === null) return null;
  return (
    <Suspense>
      <Welcome />
    </Suspense>
  );
};

type SamplesProps = {
  readonly profile: string;
  readonly models: readonly ModelInfo[];
  readonly onPick: (text: string) => void;
};

const Samples = ({ profile, models, onPick }: SamplesProps) => (
  <ul aria-label={strings.start.samples} className="mt-4 flex flex-wrap justify-center gap-2">
    {listSamples(models, profile).map(({ label, text }) => (
      <li key={label}>
        <button
          type="button"
          title={text}
          className="plain-button rounded-full bg-sunk text-soft hover:text-ink"
          onClick={() => onPick(text)}
        >
          {label}
        </button>
      </li>
    ))}
  </ul>
);

const toProjectThread = ({ projectId, entityId }: ProjectRoute): ProjectThread => ({
  profile: "project",
  projectId,
  focusId: entityId,
  mode: null,
});

const toChosen = ({ model, profile, effort }: Choice): Create => ({
  // Unknown until the server has sent it; then the default is used.
  ...(model === "" ? {} : { model }),
  profile,
  ...(effort === null ? {} : { effort }),
});

const toCreate = ({ profile, projectId, focusId, mode }: ProjectThread): Create => ({
  profile,
  ...(projectId === null ? {} : { projectId }),
  ...(focusId === null ? {} : { focusId }),
  ...(mode === null ? {} : { mode }),
});

const introduction = [
  { Icon: Server, ...strings.introduction.server },
  { Icon: ScanEye, ...strings.introduction.receipts },
  { Icon: Command, ...strings.introduction.keyboard },
] as const;

/** Introduction for users without threads. */
const Introduction = () => {
  const hasNoThreads = useSelected(
    usePage().list.state,
    ({ phase, view }) => phase === "ready" && view.threads.length === 0,
  );
  if (!hasNoThreads) return null;
  return (
    <ul aria-label={strings.introduction.label} className="grid gap-x-6 gap-y-3 sm:grid-cols-3">
      {introduction.map(({ Icon, title, text }) => (
        <li key={title} className="flex gap-3 text-sm text-pretty text-soft sm:block">
          <Icon aria-hidden="true" className="mt-0.5 size-4.5 flex-none text-accent sm:mb-2" />
          <p>
            <b className="font-medium text-ink sm:block">{title}.</b> {text}
          </p>
        </li>
      ))}
    </ul>
  );
};

type Sample = { readonly label: string; readonly text: string };

/** The demo model can do little, whatever its profile. */
const listSamples = (models: readonly ModelInfo[], profile: string): readonly Sample[] =>
  isOnlyOffline(models) ? strings.samplesForDemo : (own(strings.samplesByProfile, profile) ?? strings.samples);
