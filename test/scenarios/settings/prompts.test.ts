import { expect, test } from "vitest";
import { mintId, startInstance } from "../../support/instance.ts";
import { createDatabase } from "../../support/postgres.ts";

for (const kind of ["SQLite", "PostgreSQL"]) {
  test(`prompts are saved, searched, changed and deleted, for all threads and per project, on ${kind}`, async () => {
    const env = kind === "SQLite" ? {} : { STONECHAT_DATABASE_URL: await createDatabase() };
    const { client } = await startInstance({ env });
    const project = { id: mintId("project") };
    await client.createProject({ body: { ...project, name: "Garden" } });
    const body = { id: mintId("prompt"), name: "Review", text: "Review {{file}} carefully." };
    const { prompt } = await client.createPrompt({ body });
    expect(prompt).toMatchObject({ name: "review", text: body.text, projectId: null, version: 1 });
    expect(await client.createPrompt({ body: { ...body, name: "review" } })).toEqual({ prompt });
    const again = client.createPrompt({ body: { ...body, id: mintId("prompt") } });
    await expect(again).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining('"review"') });
    // A prompt of a project may have the same name.
    const own = { id: mintId("prompt"), name: "review", text: "Look at the beds.", projectId: project.id };
    await client.createPrompt({ body: own });
    const names = async (query: { projectId?: string; q?: string }) =>
      (await client.listPrompts({ query })).prompts.map(({ text }) => text).toSorted();
    expect(await names({})).toEqual(["Look at the beds.", body.text]);
    expect(await names({ projectId: project.id, q: "BEDS" })).toEqual(["Look at the beds."]);
    expect(await names({ q: "zzz" })).toEqual([]);
    await expect(names({ projectId: "foreign" })).rejects.toMatchObject({ code: "not-found" });
    const change = (was: number, text: string) =>
      client.changePrompt({ params: { promptId: body.id }, body: { was, text } });
    expect((await change(1, "New.")).prompt).toMatchObject({ text: "New.", version: 2 });
    await expect(change(1, "Other.")).rejects.toMatchObject({ code: "conflict" });
    for (const name of ["two words", "a/b", "", "x".repeat(41)]) {
      await expect(client.createPrompt({ body: { ...own, id: mintId(), name } })).rejects.toMatchObject({
        code: "invalid",
      });
    }
    await client.deleteProject({ params: { projectId: project.id } });
    expect(await names({})).toEqual(["New."]);
    await client.deletePrompt({ params: { promptId: body.id } });
    await expect(change(2, "Late.")).rejects.toMatchObject({ code: "not-found" });
    expect(await names({})).toEqual([]);
  });
}
