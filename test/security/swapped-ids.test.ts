import { expect, test } from "vitest";
import { describeOnBoth } from "../scenarios/settings/on-both.ts";
import { accountsOn, join, send, setUp } from "../support/accounts/accounts-instance.ts";
import { ask } from "../support/accounts/shared-project.ts";
import { say } from "../support/instance.ts";

const canary = "bobs-secret-content";

describeOnBoth("ids of another user in bodies, queries and cursors", (start) => {
  test("get the answer that unknown ones get, show nothing, and change nothing", async () => {
    const instance = await start({ env: accountsOn, script: () => say(`An answer with ${canary}.`) });
    const { url } = instance;
    const ada = await setUp(instance);
    const bob = await join(url, ada, { email: "bob@example.com" });
    const cy = await join(url, ada, { email: "cy@example.com" });
    await bob.client.createProject({ body: { id: "bobs-project", name: canary } });
    await bob.client.act({
      params: { projectId: "bobs-project" },
      body: {
        id: "act",
        ops: ["bobs-task", "bobs-task-2", "bobs-task-3"].map((id) => ({
          ...{ do: "create" as const, id, kind: "task" as const, title: canary },
        })),
      },
    });
    for (const id of ["bobs-1", "bobs-2", "bobs-3"]) await bob.client.createThread({ body: { id, title: canary } });
    await ask(bob, "bobs-1", "bobs-message", `Remember ${canary}.`);
    const file = await fetch(`${url}/api/attachments?name=bobs.txt`, {
      method: "POST",
      headers: { cookie: bob.cookie, "content-type": "application/octet-stream" },
      body: canary,
    });
    const { id: fileId } = (await file.json()) as { id: string };
    await ada.client.createGroup({ body: { id: "bobs-group", name: "Herons" } });
    await ada.client.addGroupPerson({ params: { groupId: "bobs-group", userId: bob.userId }, body: {} });
    const ofBob = { projectId: "bobs-project", groupId: "bobs-group" };
    await bob.client.setProjectGroup({ params: ofBob, body: { role: "editor" } });
    await bob.client.createProfile({ body: { id: "bobs-profile", name: canary } });
    const { nextCursor } = await bob.client.listThreads({ query: { limit: 1 } });
    const { nextCursor: nextEntity } = await bob.client.listEntities({
      params: { projectId: "bobs-project" },
      query: { limit: 1 },
    });
    await cy.client.createProject({ body: { id: "cys-project", name: "Mine" } });
    await cy.client.act({
      params: { projectId: "cys-project" },
      body: {
        id: "cys-act",
        ops: ["cys-task", "cys-task-2"].map((id) => ({
          do: "create" as const,
          id,
          kind: "task" as const,
          title: "Mine",
        })),
      },
    });
    await cy.client.createThread({ body: { id: "cys", title: "Mine" } });
    await ask(cy, "cys", "cys-message", "Hello.");

    const swaps: readonly (readonly [row: string, foreign: object | null, unknown: object | null])[] = [
      ["POST /api/threads", { id: "n1", projectId: "bobs-project" }, { id: "n1", projectId: "unknown" }],
      ["POST /api/threads", { id: "n2", profile: "bobs-profile" }, { id: "n2", profile: "unknown" }],
      ["PATCH /api/threads/cys", { id: "c1", projectId: "bobs-project" }, { id: "c2", projectId: "unknown" }],
      ["PATCH /api/threads/cys", { id: "c3", profile: "bobs-profile" }, { id: "c4", profile: "unknown" }],
      [
        "POST /api/threads/cys/messages",
        { id: "m1", text: "x", attachments: [fileId] },
        { id: "m2", text: "x", attachments: ["unknown"] },
      ],
      ["POST /api/threads/cys/messages/bobs-message/edit", { id: "e1", text: "x" }, null],
      ["POST /api/threads/cys/messages/bobs-message/regenerate", { id: "e2" }, null],
      ["POST /api/threads/cys/messages/bobs-message/activate", { id: "e3" }, null],
      ["POST /api/threads/cys/messages/bobs-message/fork", { id: "e4" }, null],
      [
        "POST /api/projects/cys-project/acts",
        { id: "a1", ops: [{ do: "delete", id: "bobs-task", version: 1 }] },
        { id: "a2", ops: [{ do: "delete", id: "unknown", version: 1 }] },
      ],
      ["POST /api/projects/cys-project/transfer", { userId: bob.userId }, { userId: "unknown" }],
      ["PUT /api/projects/bobs-project/groups/bobs-group", { role: "editor" }, null],
      ["PUT /api/projects/cys-project/groups/unknown", { role: "editor" }, null],
      ["DELETE /api/projects/cys-project/groups/bobs-group", {}, null],
      ["DELETE /api/attachments/ID", {}, null],
    ];
    for (const [row, foreign, unknown] of swaps) {
      const name = row.replace("ID", fileId);
      const given = await send(url, name, { cookie: cy.cookie, body: foreign ?? {} });
      const control = await send(
        url,
        unknown === null ? name.replace(/bobs-message|bobs-project|[\w-]{30,}/, "unknown") : name,
        {
          ...{ cookie: cy.cookie, body: unknown ?? foreign ?? {} },
        },
      );
      expect(given.status, `${row} ${JSON.stringify(given.body)}`).toBeGreaterThanOrEqual(400);
      expect(given.status, row).toBe(control.status);
      expect(JSON.stringify(given.body), row).not.toContain(canary);
    }

    const reads = [
      `/api/threads?cursor=${encodeURIComponent(nextCursor ?? "")}`,
      `/api/projects/cys-project/entities?limit=10&cursor=${encodeURIComponent(nextEntity ?? "")}`,
      `/api/projects/bobs-project/entities?limit=10&cursor=${encodeURIComponent(nextEntity ?? "")}`,
      "/api/threads?projectId=bobs-project",
      "/api/costs?threadId=bobs-1&by=thread",
      "/api/budgets?threadId=bobs-1",
      "/api/shares?threadId=bobs-1",
      "/api/threads/cys/messages?at=bobs-message",
      "/api/threads/cys/receipts?before=bobs-message",
      `/api/search?q=${canary}`,
      "/api/search?q=answer&projectId=bobs-project",
      "/api/attachments?threadId=bobs-1",
    ];
    expect(nextCursor).not.toBeNull();
    expect(nextEntity).not.toBeNull();
    // The control: its owner reads on with this cursor.
    const rest = await bob.client.listEntities({
      params: { projectId: "bobs-project" },
      query: { limit: 10, cursor: nextEntity ?? "" },
    });
    expect(rest.entities).toHaveLength(2);
    for (const path of reads) {
      const { status, body } = await send(url, `GET ${path}`, { cookie: cy.cookie });
      expect(status, path).toBeLessThan(500);
      // The answer to Cy's own question says the same words.
      const text = JSON.stringify(body).replaceAll(`An answer with ${canary}.`, "");
      expect(text.includes(canary) || text.includes("bobs-"), `${path}: ${text}`).toBe(false);
    }
    // A cursor of another stream is only a number: the reader's own stream.
    const stream = await fetch(`${url}/api/stream?after=0`, { headers: { cookie: cy.cookie, "last-event-id": "3" } });
    expect(stream.status).toBe(200);
    await stream.body?.cancel();

    // Nothing of Bob's has changed.
    const { messages } = await bob.client.getThread({ params: { threadId: "bobs-1" } });
    expect(messages).toHaveLength(2);
    const { entities } = await bob.client.listEntities({ params: { projectId: "bobs-project" }, query: {} });
    expect(entities.map(({ id }) => id).toSorted()).toEqual(["bobs-task", "bobs-task-2", "bobs-task-3"]);
    const { attachments } = await bob.client.listAttachments({ query: {} });
    expect(attachments.map(({ id }) => id)).toEqual([fileId]);
  });
});
