import { Bot, FolderInput, FolderKanban, FolderPlus, MessageSquare, SquarePen } from "lucide-react";
import type { Model } from "../../protocol/api.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import type { Project } from "../../protocol/project/project.ts";
import type { ProfileView } from "../../protocol/settings/profiles.ts";
import { describeModel } from "../labels/model.ts";
import { toJobName, usualProfile } from "../labels/choice.ts";
import { defaultThreadOptions, type Page } from "../state/page.ts";
import { beginTab, toProjectPath } from "../state/route.ts";
import { begin, type Command } from "./commands.ts";

/** The user's threads, projects, models and profiles as commands. */
export type Choices = {
  readonly threads: readonly ThreadSummary[];
  readonly projects: readonly Project[];
  readonly profiles: readonly ProfileView[];
  readonly models: readonly Model[];
};

export function listChoices(page: Page, thread: ThreadSummary | null, choices: Choices): readonly Command[] {
  const projects = choices.projects.filter(({ archived }) => !archived);
  return [
    ...choices.profiles.filter(({ id }) => id !== usualProfile).map((profile) => toBeginWith(page, profile)),
    ...projects.map((project) => toBeginIn(page, project)),
    ...projects.map((project) => toProject(page, project)),
    ...(thread && !thread.temporary
      ? projects.filter(({ id }) => id !== thread.projectId).map((project) => toMove(page, thread, project))
      : []),
    ...choices.models.filter(({ available }) => available).map((model) => toModel(page, thread, model)),
    ...choices.threads.filter(({ id }) => id !== thread?.id).map((other) => toThread(page, other)),
  ];
}

const toBeginWith = (page: Page, { id, name, builtIn }: ProfileView): Command => ({
  id: `begin-${id}`,
  group: "New thread",
  title: `New thread: ${builtIn ? toJobName(id) : name}`,
  words: "profile start chat job",
  Icon: SquarePen,
  run: () => begin(page, { ...defaultThreadOptions, profile: id }),
});

const toBeginIn = (page: Page, { id, name }: Project): Command => ({
  id: `begin-in-${id}`,
  group: "New thread",
  title: `New thread in ${name}`,
  words: "project start chat",
  Icon: FolderPlus,
  run: () => page.go(toProjectPath(id, beginTab)),
});

const toProject = (page: Page, { id, name }: Project): Command => ({
  id: `project-${id}`,
  group: "Projects",
  title: name,
  words: "open project",
  Icon: FolderKanban,
  run: () => page.go(toProjectPath(id)),
});

const toMove = (page: Page, thread: ThreadSummary, { id, name }: Project): Command => ({
  id: `move-to-${id}`,
  group: "Move",
  title: `Move this thread to ${name}`,
  words: "project put into",
  Icon: FolderInput,
  run: () => void page.threadActions.move(thread, id),
});

/** For the new thread on the start page, otherwise for the open thread. */
const toModel = (page: Page, thread: ThreadSummary | null, model: Model): Command => ({
  id: `model-${model.id}`,
  group: "Model",
  title: `Answer with ${model.name}`,
  words: `model use switch ${describeModel(model)}`,
  Icon: Bot,
  run: () => {
    if (thread) return void page.commands.changeThread(thread.id, { model: model.id });
    page.storage.set("model", model.id);
    begin(page, { ...page.threadOptions.get(), model: model.id });
  },
});

const toThread = (page: Page, { id, title, preview }: ThreadSummary): Command => ({
  id: `thread-${id}`,
  group: "Threads",
  title: title || "New thread",
  words: `open switch ${preview}`,
  Icon: MessageSquare,
  run: () => page.goTo(id),
});
