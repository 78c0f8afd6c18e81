import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { accountsOn, send } from "../support/accounts/accounts-instance.ts";
import { ask, shareProject, statusOf } from "../support/accounts/shared-project.ts";
import { say } from "../support/instance.ts";
import { describeOnBoth } from "./settings/on-both.ts";

describeOnBoth("a shared thread that is continued in a copy", (start) => {
  test("has its messages in order, is private, and is independent of the original", async () => {
    const prompts: string[] = [];
    const instance = await start({
      env: accountsOn,
      script: (request) => {
        prompts.push(JSON.stringify(request));
        return say("Herons wade.");
      },
    });
    const { bob, dee } = await shareProject(instance);
    await bob.client.createThread({ body: { id: "bobs", title: "Herons" } });
    await ask(bob, "bobs", "m1", "Which birds wade?");
    await ask(bob, "bobs", "m2", "Where do they nest?");
    const { token } = await bob.client.createShare({ params: { threadId: "bobs" }, body: { id: "s" } });

    const copied = await dee.client.copyShared({ params: { token }, body: { id: "copy" } });
    expect(copied).toMatchObject({ id: "copy", title: "Herons", messageCount: 4, preview: "Herons wade." });
    expect(await dee.client.copyShared({ params: { token }, body: { id: "copy" } })).toEqual(copied);
    expect((await dee.client.listThreads({ params: {}, query: {} })).threads.map(({ id }) => id)).toEqual(["copy"]);
    const texts = async () =>
      (await dee.client.getThread({ params: { threadId: "copy" } })).messages.map(({ parts }) => textOf(parts));
    expect(await texts()).toEqual(["Which birds wade?", "Herons wade.", "Where do they nest?", "Herons wade."]);
    expect(await statusOf(instance.url, "GET /api/threads/copy", bob)).toBe(404);

    await bob.client.deleteThread({ params: { threadId: "bobs" }, query: {} });
    prompts.length = 0;
    await ask(dee, "copy", "d1", "Thank you");
    expect(prompts[0]).toContain("Which birds wade?");
    expect(await texts()).toHaveLength(6);
    const { hits } = await dee.client.search({ params: {}, query: { q: "nest" } });
    expect(hits.map(({ thread }) => thread?.id)).toEqual(["copy"]);
  });

  test("needs an account, a link that is still shared, and an id that is not in use", async () => {
    const instance = await start({ env: accountsOn, script: () => say("An answer.") });
    const { url } = instance;
    const { ada, bob, dee } = await shareProject(instance);
    await bob.client.createThread({ body: { id: "bobs" } });
    await ask(bob, "bobs", "m1", "Which birds wade?");
    const { token } = await bob.client.createShare({ params: { threadId: "bobs" }, body: { id: "s" } });
    const copy = (cookie: string | undefined, id: string) =>
      send(url, `POST /api/shared/${token}/copy`, { ...(cookie === undefined ? {} : { cookie }), body: { id } });
    expect((await copy(undefined, "none")).status).toBe(401);
    expect((await copy(dee.cookie, "bobs")).status).toBe(409);
    const { token: key } = await ada.client.createKey({ body: { id: "k", name: "k", scopes: ["read"] } });
    const headers = { authorization: `Bearer ${key}` };
    expect((await send(url, `POST /api/shared/${token}/copy`, { headers, body: { id: "x" } })).status).toBe(403);
    expect((await copy(dee.cookie, "mine")).status).toBe(201);
    await bob.client.revokeShare({ params: { shareId: "s" } });
    expect((await copy(dee.cookie, "late")).status).toBe(404);
    expect(await statusOf(url, "GET /api/threads/mine", dee)).toBe(200);
  });
});
