import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mintId } from "../../support/instance.ts";
import { query } from "../../support/server/database.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const made = join(import.meta.dirname, "../../files/made");
const docx = readFileSync(join(made, "minutes.lo.docx"));

describeOnBoth("uploads to a project", (start) => {
  const open = async () => {
    const instance = await start();
    const projectId = mintId("project");
    await instance.client.createProject({ body: { id: projectId, name: "Harbour" } });
    const upload = async (name: string, bytes: Uint8Array | string, as = "document", id = projectId) => {
      const search = new URLSearchParams({ name, as });
      const response = await fetch(`${instance.url}/api/projects/${id}/uploads?${search}`, {
        method: "POST",
        headers: { "content-type": "application/octet-stream" },
        body: typeof bytes === "string" ? bytes : new Uint8Array(bytes),
      });
      return { status: response.status, body: (await response.json()) as Record<string, never> };
    };
    /** Of the newest act and of the project. */
    const listSources = async () => {
      const place = instance.databaseUrl === "" ? { dataDir: instance.dataDir } : instance;
      const acts = await query<{ untrusted: string }>(place, "select untrusted from acts order by seq desc limit 1");
      const projects = await query<{ untrusted: string }>(place, "select untrusted from projects");
      return [...acts, ...projects].map(({ untrusted }) => JSON.parse(untrusted));
    };
    return { ...instance, projectId, upload, listSources, params: { projectId } };
  };

  test("the text of a Word document becomes a document whose act names the file as untrusted source", async () => {
    const { client, params, upload, listSources } = await open();
    const { status, body } = await upload("minutes.docx", docx);
    expect([status, body]).toEqual([201, { as: "document", id: expect.any(String), name: "minutes.docx", parts: 1 }]);
    const { entity } = await client.getEntity({ params: { ...params, entityId: body["id"]! } });
    expect(entity).toMatchObject({ kind: "document", title: "minutes.docx", state: "current" });
    expect(entity.body).toContain("# Minutes of the board");
    const { acts } = await client.listActs({ params, query: { limit: 5 } });
    expect(acts[0]).toMatchObject({ author: { by: "person" }, text: expect.stringContaining("minutes.docx") });
    expect(await listSources()).toEqual([["the file “minutes.docx”"], ["the file “minutes.docx”"]]);
  });

  test("a text over the limit of a document continues in documents below it", async () => {
    const { client, params, upload } = await open();
    const text = Array.from({ length: 5000 }, (_, line) => `Line ${line} of the survey of the harbour.`).join("\n\n");
    const { body } = await upload("survey.txt", text.repeat(2));
    expect(body["parts"]).toBeGreaterThan(1);
    const { entities } = await client.listEntities({
      params,
      query: { kind: "document", sort: "position", limit: 50 },
    });
    const first = entities.find(({ title }) => title === "survey.txt");
    expect(entities.filter(({ parentId }) => parentId === first?.id)).toHaveLength(Number(body["parts"]) - 1);
    const bodies = await Promise.all(
      entities.map(async ({ id }) => (await client.getEntity({ params: { ...params, entityId: id } })).entity),
    );
    const inOrder = bodies.toSorted((a, b) => Number(b.id === first?.id) - Number(a.id === first?.id));
    expect(inOrder.map((one) => one.body).join("")).toBe(text.repeat(2));
  });

  test("a text file is stored unchanged and never replaces a file with its name", async () => {
    const { client, params, upload, listSources } = await open();
    expect((await upload("plan.md", "# One", "file")).body).toMatchObject({ as: "file", id: "plan.md" });
    expect((await upload("Plan.md", "# Two", "file")).body).toMatchObject({ as: "file", id: "Plan-2.md" });
    expect((await client.getFile({ params, query: { path: "plan.md" } })).text).toBe("# One");
    expect((await client.getFile({ params, query: { path: "Plan-2.md" } })).text).toBe("# Two");
    expect((await listSources())[0]).toEqual(["the file “Plan.md”"]);
  });

  test("files that cannot be read, and unknown projects, are rejected with a reason", async () => {
    const { upload } = await open();
    expect(await upload("photo.zip", new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]))).toMatchObject({ status: 415 });
    expect(await upload("empty.txt", "")).toMatchObject({
      status: 400,
      body: { error: { message: "empty.txt is empty." } },
    });
    const { body } = await upload("minutes.docx", docx, "file");
    expect(body["error"]).toMatchObject({ message: expect.stringContaining("Add it under Documents") });
    expect(await upload("a.txt", "a", "document", "unknown")).toMatchObject({ status: 404 });
    expect(await upload("a.txt", "a", "elsewhere")).toMatchObject({ status: 400 });
  });
});
