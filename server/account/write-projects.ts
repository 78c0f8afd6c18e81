import { toEntity, toProject } from "../project/project.ts";
import type { Reads } from "../store/contract.ts";
import { pagesOf, writeList } from "./json-stream.ts";

const FILES = 20;

/** Projects with what is in them and their files as they are. */
export async function* writeProjects(read: Reads, userId: string): AsyncGenerator<string> {
  let isFirst = true;
  for await (const project of pagesOf((after, limit) => read.projectsAfter(userId, after, limit))) {
    yield `${isFirst ? "" : ","}\n${JSON.stringify({ project: toProject(project) }).slice(0, -1)},"entities":`;
    isFirst = false;
    yield* writeList(
      mapped(
        pagesOf((after, limit) => read.entitiesAfter(project.id, after, limit)),
        toEntity,
      ),
    );
    const edges = await read.edgesOfProject(project.id);
    yield `,"edges":${JSON.stringify(edges.map(({ source, relation, target }) => ({ source, relation, target })))}`;
    yield `,"files":`;
    yield* writeList(readFiles(read, project.id));
    yield "}";
  }
}

async function* mapped<T, U>(rows: AsyncIterable<T>, to: (row: T) => U): AsyncGenerator<U> {
  for await (const row of rows) yield to(row);
}

async function* readFiles(read: Reads, project: string) {
  for (let after = ""; ;) {
    const page = await read.fileTextsAfter(project, after, FILES);
    for (const { path, bytes, encoding, body: content, updated_at: updatedAt } of page) {
      yield { path, bytes, encoding, content, updatedAt };
    }
    const last = page.at(-1);
    if (page.length < FILES || !last) return;
    after = last.path;
  }
}
