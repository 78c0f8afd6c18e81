import { Hourglass, Command, ScanEye, Server } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import type { Model } from "../../protocol/api.ts";
import { createId } from "../lib/ids.ts";
import { Composer, type ComposerHandle } from "../composer/composer.tsx";
import { ModelPicker } from "../composer/model-picker.tsx";
import { usualProfile, type Choice } from "../labels/choice.ts";
import type { ProjectThread } from "../project/thread/begin-in-project.tsx";
import { DrawerButton } from "../ui/drawer-button.tsx";
import { useSignal, useSelected } from "../lib/signal.ts";
import type { Create } from "../state/outbox.ts";
import { defaultThreadOptions, usePage } from "../state/page.ts";
import type { ProjectRoute } from "../state/route.ts";
import { Bird } from "../ui/bird.tsx";
import { LinkNote } from "../ui/link-note.tsx";
import { OfflineHint } from "./offline-hint.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { isOnlyOffline } from "../labels/model.ts";

const modelKey = "model";
const LateProject = lazyChunk(() => import("../project/late-project.tsx"));

/** A thread that does not exist yet: it is created with its first message, under an id chosen here. */
export const StartPage = ({ project }: { readonly project?: ProjectRoute }) => {
  const { outbox, storage, session, list, drafts, threadOptions, goTo } = usePage();
  const state = useSignal(session.state);
  const models = useSignal(session.models);
  const chosen = useSignal(threadOptions);
  const composer = useRef<ComposerHandle>(null);
  const [begun, setBegun] = useState<ProjectThread | null>(() => (project ? toBeginning(project) : null));
  const picked = chosen.model ?? storage.get(modelKey);
  const isUsable = models.some((model) => model.id === picked && model.available);
  const defaultModel = state.phase === "here" ? state.me.defaultModel : "";
  const model = picked && isUsable ? picked : defaultModel;
  const choice: Choice = {
    model,
    profile: begun?.profile ?? chosen.profile ?? usualProfile,
    effort: chosen.effort,
  };
  const choose = (change: Partial<Choice>) => {
    if (change.model !== undefined) storage.set(modelKey, change.model);
    if (begun && change.profile !== undefined) setBegun({ ...begun, profile: change.profile });
    threadOptions.set({ ...chosen, ...change });
  };
  const isTemporary = chosen.temporary && !begun;
  const owner = project ? `new.${project.projectId}` : isTemporary ? "new.temporary" : "new";

  const send = (text: string, _mode: "queue" | "steer", attachments: readonly string[]) => {
    const threadId = createId();
    const place = begun ? toCreate(begun) : isTemporary ? { temporary: true } : {};
    const create = { ...toChosen(choice), ...place };
    outbox.send({ threadId, text, mode: "queue", attachments, create, ...(owner === "new" ? { draft: "first" } : {}) });
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
        {!begun && (
          <button
            type="button"
            aria-pressed={isTemporary}
            title="In no list, search or memory, and gone when you leave it"
            className={`plain-button rounded-full ${isTemporary ? "bg-accent-wash text-accent-strong" : "bg-transparent font-normal text-soft"}`}
            onClick={() => threadOptions.set({ ...chosen, temporary: !isTemporary })}
          >
            <Hourglass aria-hidden="true" className="size-4" />
            Temporary
          </button>
        )}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0} role="region" aria-label="Start">
        <div className="mx-auto flex min-h-full w-full max-w-2xl flex-col justify-center gap-6 px-4 py-6 sm:px-6">
          <div className="flex flex-col items-center gap-3 text-center">
            <Bird className="size-14" />
            <h1 className="font-serif text-3xl tracking-tight sm:text-4xl">What is on your mind?</h1>
            {isTemporary && (
              <p className="max-w-md text-pretty text-soft">
                This thread is temporary: in no list, no search and no memory. It is gone when you leave it or close the
                page.
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
              key={owner}
              ref={composer}
              owner={owner}
              target={{ threadId: null, projectId: begun?.projectId ?? null, model, profile: choice.profile }}
              running={false}
              onSend={send}
              onStop={() => undefined}
            >
              <ModelPicker value={choice} onChange={choose} />
            </Composer>
            {!begun && <Samples models={models} onPick={(text) => composer.current?.write(text)} />}
          </div>
          {!begun && !isTemporary && <FirstWords />}
          <OfflineHint />
        </div>
      </div>
    </>
  );
};

type SamplesProps = { readonly models: readonly Model[]; readonly onPick: (text: string) => void };

const Samples = ({ models, onPick }: SamplesProps) => (
  <ul aria-label="Ideas to begin with" className="mt-4 flex flex-wrap justify-center gap-2">
    {listSamples(models).map(({ label, text }) => (
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

const toBeginning = ({ projectId, entityId }: ProjectRoute): ProjectThread => ({
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

const words = [
  {
    Icon: Server,
    title: "It stays with you",
    text: "Every word is kept on your own server as it is written. Close the page: the answer goes on.",
  },
  {
    Icon: ScanEye,
    title: "Nothing is hidden",
    text: "Each answer shows what the model was given, what it did and what it cost.",
  },
  {
    Icon: Command,
    title: "It is all within reach",
    text: "One list finds and does anything (Ctrl K). An @ names tools, files and projects.",
  },
] as const;

/** Introduction for users without threads. */
const FirstWords = () => {
  const isFirst = useSelected(
    usePage().list.state,
    ({ phase, view }) => phase === "ready" && view.threads.length === 0,
  );
  if (!isFirst) return null;
  return (
    <ul aria-label="What this is" className="grid gap-x-6 gap-y-3 sm:grid-cols-3">
      {words.map(({ Icon, title, text }) => (
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

/** Suggested first messages. The offline model only quotes and calls tools, so it gets suggestions it can handle. */
const listSamples = (models: readonly Model[]): readonly Sample[] => (isOnlyOffline(models) ? forOffline : forAny);

const forOffline: readonly Sample[] = [
  { label: "What can you do?", text: "What can you do?" },
  { label: "What time is it?", text: "What time is it in Tokyo?" },
  { label: "Calculate", text: "What is 17.5% of 2480?" },
  {
    label: "Tell it something",
    text: "A stonechat is a small bird of heaths. Its call sounds like two pebbles knocked together.",
  },
];

const forAny: readonly Sample[] = [
  { label: "Explain something", text: "Explain how tides work, with a small table of spring and neap tides." },
  { label: "Write some code", text: "Write a TypeScript function that groups an array by a key, with one example." },
  { label: "Plan a thing", text: "Help me plan a two-day walk: what to decide first, and a packing list." },
  {
    label: "Think it through",
    text: "I have to choose between two job offers. Ask me the five questions that matter most.",
  },
];
