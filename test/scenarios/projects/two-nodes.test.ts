import { describe, expect, onTestFinished, test } from "vitest";
import { createInstance, followStream, mintId, type Instance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createDatabase } from "../../support/postgres.ts";

describe.skipIf(!findPostgres())("two nodes on one PostgreSQL", () => {
  const startNode = async (url: string): Promise<Instance> => {
    const instance = await createInstance({ env: { STONECHAT_DATABASE_URL: url } });
    onTestFinished(instance.close);
    return instance;
  };

  test("each node sees the other's writes at once, and one of two conflicting writes fails", async () => {
    const url = await createDatabase();
    const [a, b] = [await startNode(url), await startNode(url)];
    const projectId = mintId("project");
    await a.client.createProject({ body: { id: projectId, name: "Harbour" } });
    const live = followStream(`${b.url}/api/projects/${projectId}/stream?after=0`);
    const ids = Array.from({ length: 10 }, (_, n) => `t${n}`);
    const act = ({ client }: Instance, ops: Parameters<typeof client.act>[0]["body"]["ops"]) =>
      client.act({ params: { projectId }, body: { id: mintId("act"), ops } });
    await act(
      a,
      ids.map((id) => ({ do: "create", id, kind: "task", title: id })),
    );
    expect((await b.client.listEntities({ params: { projectId } })).total).toBe(10);
    const attempts = ids.flatMap((id) =>
      [a, b].map((node) => act(node, [{ do: "update", id, version: 1, title: "x" }])),
    );
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    for (const reason of refused) expect(reason).toMatchObject({ code: "conflict" });
    // Moves below each other at once: one of them would make a circle.
    const moves = await Promise.allSettled([
      act(a, [{ do: "move", id: "t0", version: 2, parentId: "t1" }]),
      act(b, [{ do: "move", id: "t1", version: 2, parentId: "t0" }]),
    ]);
    expect(moves.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const { acts } = await b.client.listActs({ params: { projectId } });
    expect(acts).toHaveLength(2 + 10 + 1);
    await live.until(() => live.rows.length >= acts.length);
    live.close();
    expect(live.rows.map(({ seq }) => seq)).toEqual(acts.map(({ seq }) => seq).toReversed());
  });
});
