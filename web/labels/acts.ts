import type { Act, Change } from "../../protocol/project/project.ts";
import { joinList } from "../lib/format.ts";
import { getLanguage } from "../strings/language.ts";
import { entities } from "../strings/project/entities.ts";
import { nameRelation, nameState } from "./entities.ts";

const strings = entities.acts;
const maxNamed = 3;
const redid = /^(?:Redid|Did again): /;
const restored = /^Restored the files of an earlier version$/;

/** Describes an act. Its stored text is English; in other languages the text is made of its changes. */
export function toActText({ text, changes, undoes }: Pick<Act, "text" | "changes" | "undoes">): string {
  if (getLanguage() === "en") return text;
  // A redo made the changes of the original act again, and an undo the opposite ones.
  if (undoes !== null && redid.test(text)) return strings.redid(describe(changes));
  if (undoes !== null)
    return strings.undid(
      describe(changes.map((change) => ({ ...change, before: change.after, after: change.before }))),
    );
  return restored.test(text) ? strings.filesRestored : describe(changes);
}

type Sort = "created" | "changed" | "stateSet" | "moved" | "deleted" | "linked" | "unlinked" | "project";

function describe(changes: readonly Change[]): string {
  if (changes.length === 0) return strings.nothing;
  const rename = findRename(changes);
  if (rename) return strings.renamed(rename);
  return [...Map.groupBy(changes, toSort)]
    .map(([sort, some]) => {
      if (sort === "project") return strings.project;
      const names = toNames(some);
      if (sort !== "stateSet") return strings[sort](names);
      const states = new Set(some.map(({ after }) => String(after?.["state"])));
      return states.size === 1 ? strings.stateSet(names, nameState([...states].join())) : strings.changed(names);
    })
    .join("; ");
}

function toSort({ what, before, after }: Change): Sort {
  if (what === "edge") return after ? "linked" : "unlinked";
  if (!before) return "created";
  if (!after) return "deleted";
  if (what === "project") return "project";
  const fields = Object.keys(after).filter((name) => name !== "position");
  if (what === "file") return "changed";
  if (fields.every((name) => name === "parentId")) return "moved";
  return fields.length === 1 && fields[0] === "state" ? "stateSet" : "changed";
}

/** A renamed file is stored as one file that is gone and one with the same content that is new. */
function findRename(changes: readonly Change[]): string | undefined {
  const [first, second, ...more] = changes;
  if (first?.what !== "file" || second?.what !== "file" || more.length > 0) return undefined;
  const [from, to] = first.after === null ? [first, second] : [second, first];
  const isSame = from.after === null && to.before === null && from.before?.["hash"] === to.after?.["hash"];
  return isSame ? `${from.id} → ${to.id}` : undefined;
}

function toNames(changes: readonly Change[]): string {
  const rest = changes.length - maxNamed;
  const names = changes.slice(0, maxNamed).map(toName);
  return joinList(rest > 0 ? [...names, strings.more(rest)] : names);
}

function toName({ what, id, title }: Change): string {
  if (what === "file") return id;
  if (what !== "edge") return strings.name(title);
  const relation = id.split(" ")[1] ?? "";
  return title.replace(`" ${relation} "`, `" ${nameRelation(relation)} "`);
}
