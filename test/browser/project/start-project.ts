import type { Page } from "playwright-core";
import type { EntityOp } from "../../../protocol/project/project.ts";
import type { Script } from "../../../server/model/scripted.ts";
import { mintId, say, startInstance } from "../../support/instance.ts";

type Create = Extract<EntityOp, { do: "create" }>;
export type EntityInput = Partial<Create> & { readonly kind: string; readonly title: string };

/** Starts a server with one project and these entities. */
export async function startProject(entities: readonly EntityInput[] = [], script: Script = () => say("Yes.")) {
  const instance = await startInstance({
    script,
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  const { client, url } = instance;
  const projectId = mintId("project");
  await client.createProject({ body: { id: projectId, name: "Harbour" } });
  const params = { projectId };
  const act = (...ops: readonly EntityOp[]) => client.act({ params, body: { id: mintId("act"), ops: [...ops] } });
  const put = async (list: readonly EntityInput[]): Promise<readonly string[]> => {
    const ops = list.map((entity): Create => ({ do: "create", id: mintId("entity"), parentId: null, ...entity }));
    const batchSize = 200;
    for (let from = 0; from < ops.length; from += batchSize) await act(...ops.slice(from, from + batchSize));
    return ops.map(({ id }) => id);
  };
  const ids = await put(entities);
  const read = async (kind: string) =>
    (await client.listEntities({ params, query: { kind, sort: "position", limit: 500 } })).entities;
  const toUrl = (tab = "", entityId = "") =>
    `${url}/p/${projectId}${tab === "" ? "" : `/${tab}`}${entityId === "" ? "" : `#${entityId}`}`;
  return { ...instance, projectId, ids, act, put, read, toUrl };
}

export const columnOf = (page: Page, state: string) => page.getByRole("region", { name: state, exact: true });
export const cardsOf = (page: Page, state: string) => columnOf(page, state).getByRole("listitem").getByRole("link");
export const panelOf = (page: Page, kind: string) => page.getByRole("complementary", { name: kind, exact: true });
/** Titles of the cards of a column, from top to bottom. */
export const titlesOf = async (page: Page, state: string): Promise<readonly string[]> =>
  (await cardsOf(page, state).allInnerTexts()).map((text) => text.split("\n")[0] ?? "");
/** Text of the focused element. */
export const focused = (page: Page): Promise<string> => page.evaluate("document.activeElement?.innerText ?? ''");
