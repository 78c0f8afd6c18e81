import type { EntityLine, Project } from "../../protocol/project/project.ts";
import type { FileLine } from "../../protocol/workspace/workspace.ts";
import { composer } from "../strings/composer.ts";
import type { Suggestion } from "./completion.ts";

/** A title in quotes on one line, so that its end is clear. */
const quote = (title: string): string => `“${title.replaceAll(/\s+/g, " ").replaceAll(/[“”]/g, '"').trim()}”`;

/** With the id that project tools use. `about`: its kind and state in the page's language. */
export const toEntity = (
  { id, kind, title }: Pick<EntityLine, "id" | "kind" | "title">,
  about: string,
): Suggestion => ({
  kind: "entity",
  id,
  name: title,
  about,
  insert: `${quote(title)} (${kind} ${id})`,
});

export const toProject = ({ id, name, description }: Project): Suggestion => ({
  kind: "project",
  id,
  name,
  about: description,
  insert: `${quote(name)} (project ${id})`,
});

/** A path, quoted only if it contains spaces. */
export const toFile = ({ path, lines }: FileLine): Suggestion => ({
  kind: "file",
  id: path,
  name: path,
  about: lines === null ? "" : composer.suggestions.lines(lines),
  insert: /\s/.test(path) ? quote(path) : path,
});
