import { openEntity } from "../../project/project.ts";
import type { Reads } from "../../store/contract.ts";
import { toLine, toLink } from "./to-line.ts";

const MOST_CHILDREN = 40;
const MOST_LINKS = 40;
const MOST_TEXT = 30_000;

/** One thing whole. */
export async function getEntity(read: Reads, project: string, id: string) {
  const { entity, path, children, links } = await openEntity(read, project, id).catch((error: Error) => {
    throw new Error(`${id}: ${error.message}`);
  });
  return {
    ...toLine(entity),
    ...(entity.body === "" ? {} : toText(entity.body)),
    ...(path.length ? { path: path.map(({ id: above, title }) => ({ id: above, title })) } : {}),
    ...(children.length ? { children: children.slice(0, MOST_CHILDREN).map(toLine) } : {}),
    ...tellRest("children", children.length, MOST_CHILDREN, `list_entities with parent_id ${id}`),
    ...(links.length ? { links: links.slice(0, MOST_LINKS).map(({ edge, other }) => toLink(edge, id, other)) } : {}),
    ...tellRest("links", links.length, MOST_LINKS, "get_entity with graph"),
  };
}

const toText = (body: string) =>
  body.length <= MOST_TEXT
    ? { body }
    : {
        body: body.slice(0, MOST_TEXT).toWellFormed(),
        body_note: `the first ${MOST_TEXT} of ${body.length} characters`,
      };

const tellRest = (what: string, count: number, most: number, how: string) =>
  count > most ? { [`more_${what}`]: `${count - most} more: ${how}` } : {};
