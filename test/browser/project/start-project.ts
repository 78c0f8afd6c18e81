import type { Page } from "playwright-core";
import type { EntityOp } from "../../../protocol/project/project.ts";
import type { Script } from "../../../server/model/scripted.ts";
import { mintId, say, startInstance } from "../../support/instance.ts";

type Create = Extract<EntityOp, { do: "create" }>;
export type Thing = Partial<Create> & { readonly kind: string; readonly title: string };

/** A server with one project, and what the test puts into it. */
export async function startProject(things: readonly Thing[] = [], script: Script = () => say("Yes.")) {
  const instance = await startInstance({
    script,
    env: { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," },
  });
  const { client, url } = instance;
  const projectId = mintId("project");
  await client.createProject({ body: { id: projectId, name: "Harbour" } });
  const params = { projectId };
  const act = (...ops: readonly EntityOp[]) => client.act({ params, body: { id: mintId("act"), ops: [...ops] } });
  const put = async (list: readonly Thing[]): Promise<readonly string[]> => {
    const ops = list.map((thing): Create => ({ do: "create", id: mintId("thing"), parentId: null, ...thing }));
    const atOnce = 200;
    for (let from = 0; from < ops.length; from += atOnce) await act(...ops.slice(from, from + atOnce));
    return ops.map(({ id }) => id);
  };
  const ids = await put(things);
  const read = async (kind: string) =>
    (await client.listEntities({ params, query: { kind, sort: "position", limit: 500 } })).entities;
  const toUrl = (tab = "", entityId = "") =>
    `${url}/p/${projectId}${tab === "" ? "" : `/${tab}`}${entityId === "" ? "" : `#${entityId}`}`;
  return { ...instance, projectId, ids, act, put, read, toUrl };
}

export const columnOf = (page: Page, state: string) => page.getByRole("region", { name: state, exact: true });
export const cardsOf = (page: Page, state: string) => columnOf(page, state).getByRole("listitem").getByRole("link");
export const panelOf = (page: Page, kind: string) => page.getByRole("complementary", { name: kind, exact: true });
/** What stands in the cards of a column, top to bottom. */
export const titlesOf = async (page: Page, state: string): Promise<readonly string[]> =>
  (await cardsOf(page, state).allInnerTexts()).map((text) => text.split("\n")[0] ?? "");
/** The title of what holds the focus. */
export const focused = (page: Page): Promise<string> => page.evaluate("document.activeElement?.innerText ?? ''");
