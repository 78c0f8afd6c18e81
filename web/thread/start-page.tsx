import { lazy, Suspense, useRef, useState } from "react";
import { createId } from "../api/ids.ts";
import { Composer, type ComposerHandle } from "../composer/composer.tsx";
import { ModelPicker } from "../composer/model-picker.tsx";
import { usualProfile, type Choice } from "../composer/pick/choice.ts";
import type { Beginning } from "../project/thread/begin-in-project.tsx";
import { DrawerButton } from "../shell/drawer-button.tsx";
import { useCell } from "../state/cell.ts";
import type { Create } from "../state/outbox.ts";
import { usePage } from "../state/page.ts";
import type { ProjectPlace } from "../state/route.ts";
import { Bird } from "../ui/bird.tsx";
import { LinkNote } from "./link-note.tsx";
import { listSamples } from "./samples.ts";
import { OfflineHint } from "./offline-hint.tsx";

const modelKey = "model";
const LateProject = lazy(() => import("../project/late-project.tsx"));

/** A thread that does not exist yet: it is created by its first message, under an id minted here. */
export const StartPage = ({ project }: { readonly project?: ProjectPlace }) => {
  const { outbox, keep, session, list, goTo } = usePage();
  const state = useCell(session.state);
  const models = useCell(session.models);
  const composer = useRef<ComposerHandle>(null);
  const [picked, setPicked] = useState(() => keep.get(modelKey));
  const [begun, setBegun] = useState<Beginning | null>(() => (project ? toBeginning(project) : null));
  const isUsable = models.some((model) => model.id === picked && model.available);
  const defaultModel = state.phase === "here" ? state.me.defaultModel : "";
  const model = picked && isUsable ? picked : defaultModel;
  const [job, setJob] = useState<Omit<Choice, "model">>({ profile: usualProfile, effort: null });
  const choice: Choice = { model, profile: begun?.profile ?? job.profile, effort: job.effort };
  const choose = ({ model: next, ...rest }: Partial<Choice>) => {
    if (next !== undefined) keep.set(modelKey, next);
    if (next !== undefined) setPicked(next);
    setJob({ ...job, ...rest });
    if (begun && rest.profile !== undefined) setBegun({ ...begun, profile: rest.profile });
  };

  const send = (text: string) => {
    const threadId = createId();
    outbox.send({ threadId, text, mode: "queue", create: { ...toChosen(choice), ...(begun ? toCreate(begun) : {}) } });
    goTo(threadId);
  };
  return (
    <>
      <header className="flex h-13 flex-none items-center px-3">
        <DrawerButton />
        <span className="ms-auto">
          <LinkNote link={useCell(list.link)} />
        </span>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0} role="region" aria-label="Start">
        <div className="mx-auto flex min-h-full w-full max-w-2xl flex-col justify-center gap-6 px-4 py-6 sm:px-6">
          <div className="flex flex-col items-center gap-3 text-center">
            <Bird className="size-14" />
            <h1 className="font-serif text-3xl tracking-tight sm:text-4xl">What is on your mind?</h1>
            {!begun && (
              <p className="max-w-md text-pretty text-soft">
                Every word is kept on your own server as it is written. Close the page, lose the network: the answer
                goes on, and you find it here.
              </p>
            )}
          </div>
          <div>
            {begun && (
              <Suspense fallback={<div className="mb-3 h-21" />}>
                <LateProject opening={{ value: begun, onChange: setBegun }} />
              </Suspense>
            )}
            <Composer
              ref={composer}
              owner={project ? `new.${project.projectId}` : "new"}
              place={{ threadId: null, projectId: begun?.projectId ?? null, model }}
              running={false}
              onSend={send}
              onStop={() => undefined}
            >
              <ModelPicker value={choice} onChange={choose} />
            </Composer>
            {!begun && (
              <ul aria-label="Ideas to begin with" className="mt-4 flex flex-wrap justify-center gap-2">
                {listSamples(models).map(({ label, text }) => (
                  <li key={label}>
                    <button
                      type="button"
                      title={text}
                      className="plain-button rounded-full bg-sunk text-soft hover:text-ink"
                      onClick={() => composer.current?.write(text)}
                    >
                      {label}
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </div>
          <OfflineHint />
        </div>
      </div>
    </>
  );
};

const toBeginning = ({ projectId, entityId }: ProjectPlace): Beginning => ({
  profile: "project",
  projectId,
  focusId: entityId,
  mode: null,
});

const toChosen = ({ model, profile, effort }: Choice): Create => ({
  model,
  profile,
  ...(effort === null ? {} : { effort }),
});

const toCreate = ({ profile, projectId, focusId, mode }: Beginning): Create => ({
  profile,
  ...(projectId === null ? {} : { projectId }),
  ...(focusId === null ? {} : { focusId }),
  ...(mode === null ? {} : { mode }),
});
