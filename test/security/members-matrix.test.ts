import { expect, test } from "vitest";
import { routes, type RouteName } from "../../protocol/routes.ts";
import { accountsOn, type Person } from "../support/accounts/accounts-instance.ts";
import { shareProject, waitForAnswer } from "../support/accounts/shared-project.ts";
import { call, say } from "../support/instance.ts";
import { tool } from "../support/server/loop-tools.ts";
import { describeOnBoth } from "../scenarios/settings/on-both.ts";
import { bodies, queries } from "./route-bodies.ts";
import { adminRows, routeScopes } from "./route-rows.ts";

/** In everything that the project and its shared threads contain. */
const canary = "shared-secret-content";
const rows = Object.keys(routeScopes);
const names = new Map(
  (Object.keys(routes) as RouteName[]).map((name) => [`${routes[name].method} ${routes[name].path}`, name]),
);
/** They would end the sessions that the next rows need. */
const endsSessions = (row: string): boolean =>
  row === "POST /api/sign-out" || row.startsWith("POST /api/sessions") || row.includes("/api/people/");
const isOfProject = (row: string): boolean => /:(threadId|projectId|attachmentId)/.test(row);

/** Routes that viewers may call besides reading. None of them changes the thread or the project. */
const viewersMay = new Set([
  "PUT /api/threads/:threadId/seen",
  "PUT /api/threads/:threadId/presence",
  "POST /api/threads/:threadId/messages/:messageId/fork",
  "POST /api/projects/:projectId/preview",
  "DELETE /api/projects/:projectId/members/:userId",
  // Only the uploader of a file; for others it does not exist.
  "DELETE /api/attachments/:attachmentId",
]);

/** Routes that editors may not call. */
const ownersOnly = new Set([
  "DELETE /api/threads/:threadId",
  "POST /api/threads/:threadId/shares",
  "DELETE /api/projects/:projectId",
  "POST /api/projects/:projectId/members",
  "PATCH /api/projects/:projectId/members/:userId",
  "POST /api/projects/:projectId/transfer",
  "PUT /api/projects/:projectId/groups/:groupId",
  "DELETE /api/projects/:projectId/groups/:groupId",
]);
/** Routes that no user may call in a shared thread, or only the author of the message. */
const nobodyMay = new Set([
  "POST /api/threads/:threadId/reveal",
  "POST /api/threads/:threadId/messages/:messageId/edit",
  "DELETE /api/threads/:threadId/inputs/:inputId",
]);

type Ids = Readonly<Record<string, string>>;
type Answer = { readonly row: string; readonly status: number; readonly text: string };

async function request(url: string, row: string, person: Person, ids: Ids, turn: string): Promise<Answer> {
  const [method = "", path = ""] = row.split(" ");
  const name = names.get(row);
  const filled = path.replace(/:(\w+)/g, (_, key: string) => ids[key] ?? "x-1");
  const query = (name && queries[name]) ?? (path === "/api/search" ? `?q=${canary}` : "");
  const body = { ...(name && bodies[name]) };
  const unique = "id" in body ? { ...body, id: `${String(body.id)}-${turn.replaceAll(" ", "-")}` } : body;
  const response = await fetch(url + filled + query, {
    method,
    redirect: "manual",
    headers: { cookie: person.cookie, ...(method === "GET" ? {} : { "content-type": "application/json" }) },
    ...(method === "GET" ? {} : { body: JSON.stringify(unique) }),
  });
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (isStream) await response.body?.cancel();
  return { row, status: response.status, text: isStream ? "" : await response.text() };
}

describeOnBoth("every route with the ids of a shared project", (start) => {
  test("viewers change nothing, editors do not own, and former members, strangers and admins find nothing", async () => {
    const secret = tool({ name: "leak", execute: async () => ({ output: `password=hunter2-${canary}` }) });
    const instance = await start({
      env: accountsOn,
      tools: [secret],
      script: (asked, index) =>
        index === 0 && asked.tools.length > 0 ? call({ name: "leak", input: "{}" }) : say(`An answer with ${canary}.`),
    });
    const { url } = instance;
    const { ada, bob, cy, dee, projectId } = await shareProject(instance);
    // Bob owns the project, so that Ada is an admin without access in the end, and Eve is an editor.
    await ada.client.transferProject({ params: { projectId }, body: { userId: bob.userId } });
    await bob.client.addMember({ params: { projectId }, body: { email: dee.email, role: "editor" } });
    const ids = await fill(url, bob, projectId, cy.userId);
    await ada.client.removeMember({ params: { projectId, userId: ada.userId } });

    const faults: string[] = [];
    const check = async (
      who: string,
      person: Person,
      fits: (answer: Answer) => boolean,
      of = rows,
    ): Promise<number> => {
      let seen = 0;
      for (const row of of) {
        if (endsSessions(row) || row === "POST /api/delete-everything") continue;
        const answer = await request(url, row, person, ids, who);
        if (answer.text.includes(canary)) seen += 1;
        if (!fits(answer)) faults.push(`${row} as ${who}: ${answer.status} ${answer.text.slice(0, 160)}`);
      }
      return seen;
    };
    const findsNothing = ({ row, status, text }: Answer) =>
      !text.includes(canary) && (!isOfProject(row) || status === 404);
    await check("a former member who is an admin", ada, findsNothing);

    const readsFirst = rows.toSorted((a, b) => Number(!a.startsWith("GET")) - Number(!b.startsWith("GET")));
    const ofProject = readsFirst.filter((row) => isOfProject(row) && !adminRows.has(row));
    const reads = ({ row, status }: Answer) =>
      status !== 401 && status < 500 && (!row.startsWith("GET") || status !== 403);
    const asViewer = (answer: Answer) =>
      reads(answer) &&
      (answer.row.startsWith("GET") || viewersMay.has(answer.row) || answer.status === 403 || answer.status === 415);
    // Cy leaves with the row that removes a member, so it comes last.
    const leave = "DELETE /api/projects/:projectId/members/:userId";
    const seenByViewer = await check("a viewer", cy, asViewer, [...ofProject.filter((row) => row !== leave), leave]);
    // A copy that a user made while having access is the user's own.
    await cy.client.deleteThread({ params: { threadId: "x-fork-a-viewer" }, query: {} });
    await check("a former viewer", cy, findsNothing);
    const asEditor = (answer: Answer) =>
      reads(answer) &&
      (ownersOnly.has(answer.row) || nobodyMay.has(answer.row) ? answer.status === 403 : answer.status !== 403);
    const seenByEditor = await check(
      "an editor",
      dee,
      asEditor,
      ofProject.filter((row) => row !== leave),
    );
    // The control: they do see the content.
    expect(seenByViewer).toBeGreaterThan(12);
    expect(seenByEditor).toBeGreaterThan(12);
    const asOwner = (answer: Answer) =>
      reads(answer) &&
      (nobodyMay.has(answer.row)
        ? answer.row.includes("/edit") || answer.row.includes("/inputs/") || answer.status === 403
        : answer.status !== 403);
    const deletesLast = ofProject.toSorted((a, b) => Number(a.startsWith("DELETE")) - Number(b.startsWith("DELETE")));
    await check("the owner", bob, asOwner, deletesLast);
    expect(faults).toEqual([]);
  });
});

/** Content of every kind in a project and a thread that Bob shares. */
async function fill(url: string, bob: Person, projectId: string, userId: string): Promise<Ids> {
  const { client } = bob;
  const threadId = "bobs-shared";
  await client.changeProject({
    params: { projectId },
    body: { id: "rename", version: (await client.getProject({ params: { projectId } })).project.version, name: canary },
  });
  await client.act({
    params: { projectId },
    body: { id: "act", ops: [{ do: "create", id: "entity", kind: "task", title: canary }] },
  });
  await client.writeFiles({
    params: { projectId },
    body: { id: "write", ops: [{ do: "write", path: "src/App.tsx", was: null, text: canary }] },
  });
  await client.createThread({ body: { id: threadId, title: canary, projectId } });
  const uploaded = await fetch(`${url}/api/attachments?name=notes.txt&threadId=${threadId}`, {
    method: "POST",
    headers: { cookie: bob.cookie, "content-type": "application/octet-stream" },
    body: `A file with ${canary}.`,
  });
  const { id: attachmentId } = (await uploaded.json()) as { id: string };
  const message = { id: "bobs-message", text: `Remember ${canary}.`, attachments: [attachmentId] };
  await client.sendMessage({ params: { threadId }, body: message });
  await waitForAnswer(bob, threadId, "bobs-message");
  await client.addPin({ params: { threadId }, body: { id: "bobs-pin", text: canary } });
  const { runs } = await client.listRuns({ params: { threadId }, query: {} });
  const { receipts } = await client.listReceipts({ params: { threadId }, query: {} });
  return {
    ...{ threadId, projectId, messageId: "bobs-message", runId: runs[0]?.id ?? "", attachmentId, userId },
    ...{ receiptId: receipts[0]?.id ?? "", pinId: "bobs-pin", ref: "1", inputId: "bobs-message", page: "1" },
    ...{ actId: "act", entityId: "entity", chatId: threadId },
  };
}
