import { Bot, FolderInput, FolderKanban, FolderPlus, MessageSquare, SquarePen } from "lucide-react";
import type { ModelInfo } from "../../protocol/api.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import type { Project } from "../../protocol/project/project.ts";
import type { ProfileView } from "../../protocol/settings/profiles.ts";
import { describeModel } from "../labels/model.ts";
import { toJobName, usualProfile } from "../labels/choice.ts";
import { defaultThreadOptions, type Page } from "../state/page.ts";
import { beginTab, toProjectPath } from "../state/route.ts";
import { palette as strings } from "../strings/palette.ts";
import { startThread, type Command } from "./commands.ts";

/** The user's threads, projects, models and profiles as commands. */
export type Choices = {
  readonly threads: readonly ThreadSummary[];
  readonly projects: readonly Project[];
  readonly profiles: readonly ProfileView[];
  readonly models: readonly ModelInfo[];
};

export function listChoices(page: Page, thread: ThreadSummary | null, choices: Choices): readonly Command[] {
  const projects = choices.projects.filter(({ archived }) => !archived);
  return [
    ...choices.profiles.filter(({ id }) => id !== usualProfile).map((profile) => toStartWith(page, profile)),
    ...projects.map((project) => toStartIn(page, project)),
    ...projects.map((project) => toProject(page, project)),
    ...(thread && !thread.temporary
      ? projects.filter(({ id }) => id !== thread.projectId).map((project) => toMove(page, thread, project))
      : []),
    ...choices.models.filter(({ available }) => available).map((model) => toModel(page, thread, model)),
    ...choices.threads.map((other) => toThread(page, other, other.id === thread?.id)),
  ];
}

const toStartWith = (page: Page, { id, name, builtIn }: ProfileView): Command => ({
  id: `begin-${id}`,
  group: strings.groups.newThread,
  title: strings.startWith(builtIn ? toJobName(id) : name),
  keywords: strings.keywords.startWith,
  Icon: SquarePen,
  run: () => startThread(page, { ...defaultThreadOptions, profile: id }),
});

const toStartIn = (page: Page, { id, name }: Project): Command => ({
  id: `begin-in-${id}`,
  group: strings.groups.newThread,
  title: strings.startIn(name),
  keywords: strings.keywords.startIn,
  Icon: FolderPlus,
  run: () => page.go(toProjectPath(id, beginTab)),
});

const toProject = (page: Page, { id, name }: Project): Command => ({
  id: `project-${id}`,
  group: strings.groups.projects,
  title: name,
  keywords: strings.keywords.project,
  Icon: FolderKanban,
  run: () => page.go(toProjectPath(id)),
});

const toMove = (page: Page, thread: ThreadSummary, { id, name }: Project): Command => ({
  id: `move-to-${id}`,
  group: strings.groups.move,
  title: strings.moveTo(name),
  keywords: strings.keywords.moveTo,
  Icon: FolderInput,
  run: () => void page.threadActions.move(thread, id),
});

/** Sets the model of the new thread on the start page, otherwise of the open thread. */
const toModel = (page: Page, thread: ThreadSummary | null, model: ModelInfo): Command => ({
  id: `model-${model.id}`,
  group: strings.groups.model,
  title: strings.answerWith(model.name),
  keywords: `${strings.keywords.answerWith} ${describeModel(model)}`,
  Icon: Bot,
  run: () => {
    if (thread) return void page.commands.changeThread(thread.id, { model: model.id });
    page.storage.set("model", model.id);
    startThread(page, { ...page.threadOptions.get(), model: model.id });
  },
});

const toThread = (page: Page, { id, title, preview }: ThreadSummary, isOpen: boolean): Command => ({
  id: `thread-${id}`,
  group: strings.groups.threads,
  title: isOpen ? strings.openThread(title || strings.untitled) : title || strings.untitled,
  keywords: `${strings.keywords.thread} ${preview}`,
  Icon: MessageSquare,
  run: () => page.goTo(id),
});
