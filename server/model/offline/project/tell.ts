import { toFields, toList, toText } from "../outputs/read-web.ts";
import { cut } from "../quote.ts";
import { findAsked } from "./asked.ts";
import { toLine } from "./steps.ts";

type Output = Readonly<Record<string, unknown>>;

const MOST_TOLD = 4000;

/** What project tools answered, in words; undefined: it is quoted as it is. */
export const tellProject: Readonly<Record<string, (output: Output, question: string) => string | undefined>> = {
  list_entities: (output, question) => {
    const lines = toLines(output["entities"]);
    const total = typeof output["total"] === "number" ? output["total"] : lines.length;
    const asked = findAsked(question, undefined);
    if (asked !== undefined && asked.do !== "call") {
      if (lines.length === 0) return `Nothing in the project fits “${asked.name}”, so nothing was changed.`;
      return `Several things fit “${asked.name}”, so nothing was changed. Say which one, by its whole title:\n\n${lines.join("\n")}`;
    }
    if (lines.length === 0) return "There is none.";
    const rest = total > lines.length ? `\n\nThese are ${lines.length} of ${total}.` : "";
    return cut(`${lines.join("\n")}${rest}`, MOST_TOLD);
  },
  get_entity: (output) => {
    const tree = toText(output["tree"]);
    return tree === "" ? undefined : tree;
  },
  create_entities: (output) => tellDone("Added", output),
  update_entities: (output) => tellDone("Changed", output),
  delete_entities: (output) => (toText(output["done"]) === "" ? undefined : `${toText(output["done"])}`),
};

const tellDone = (word: string, output: Output): string | undefined => {
  const project = toFields(output["created"]);
  if (project) return `The project **${toText(project["name"])}** is there.`;
  const lines = toLines(output["entities"]);
  return lines.length === 0 ? undefined : `${word}:\n\n${cut(lines.join("\n"), MOST_TOLD)}`;
};

const toLines = (entities: unknown): readonly string[] =>
  toList(entities).flatMap((value) => {
    const row = toFields(value);
    return row ? [toLine(row)] : [];
  });
