import { expect, test } from "vitest";
import { accountsOn } from "../../support/accounts/accounts-instance.ts";
import { ask, shareProject } from "../../support/accounts/shared-project.ts";
import { say, startInstance } from "../../support/instance.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { composerOf, noBrowser } from "../open-page.ts";
import { openAs } from "./open-as.ts";

const script = () => say("An answer.");

for (const [name, options] of devicesOf(0))
  test.skipIf(noBrowser)(`members see who else has a shared thread open and who is typing on ${name}`, async () => {
    const instance = await startInstance({ env: accountsOn, script });
    const { ada, bob, projectId } = await shareProject(instance);
    await bob.client.createThread({ body: { id: "shared", projectId } });
    await ask(bob, "shared", "m1", "Which birds wade?");
    const adas = await openAs(instance.url, ada, "/t/shared", options);
    const line = adas.getByRole("note", { name: "Others in this thread" });
    await adas.getByRole("article", { name: "Bob" }).getByText("Which birds wade?").waitFor();
    // Alone: the user's own name is not shown.
    expect((await line.textContent())?.trim()).toBe("");
    const bobs = await openAs(instance.url, bob, "/t/shared", options);
    await bobs.getByRole("note", { name: "Others in this thread" }).getByText("Also here: Ada").waitFor();
    await line.getByText("Also here: Bob").waitFor();
    await checkAccess(adas, "others in a shared thread");
    await composerOf(bobs).pressSequentially("And which ones");
    await line.getByText("Bob is typing…").waitFor();
    // A pause in typing.
    await line.getByText("Also here: Bob").waitFor();
    await bobs.close();
    await expect.poll(async () => (await line.textContent())?.trim()).toBe("");
  });
