import type { Response } from "../../../protocol/api.ts";
import type { PromptMessage } from "../../../protocol/model.ts";
import { call, mintId, say, startInstance, type Instance } from "../../support/instance.ts";

export type Call = readonly [name: string, input: object];
export type Turn = readonly (readonly Call[])[];

/** A project with a builder's thread in it, and a model that makes these calls, step by step, in each answer. */
export async function startBuilder(turns: readonly Turn[], options: Parameters<typeof startInstance>[0] = {}) {
  const prompts: (readonly PromptMessage[])[] = [];
  const instance = await startInstance({ ...options, script: toScript(turns, prompts) });
  const projectId = mintId("project");
  await instance.client.createProject({ body: { id: projectId, name: "Site" } });
  const threadId = await instance.start({ profile: "builder", projectId });
  const live = instance.follow(threadId);
  return { ...instance, prompts, projectId, threadId, live, files: createFiles(instance, projectId) };
}

export const toScript =
  (turns: readonly Turn[], prompts: (readonly PromptMessage[])[] = []) =>
  ({ messages }: { readonly messages: readonly PromptMessage[] }) => {
    prompts.push(messages);
    const asked = messages.findLastIndex((message) => message.role === "user" && /^turn \d/.test(message.text));
    const words = messages[asked];
    const turn = words?.role === "user" ? turns[Number(/^turn (\d+)/.exec(words.text)?.[1] ?? 0)] : undefined;
    const step = turn?.[messages.slice(asked).filter(({ role }) => role === "tool").length];
    return step ? call(...step.map(([name, input]) => ({ name, input: JSON.stringify(input) }))) : say("Done.");
  };

export const createFiles = ({ client }: Pick<Instance, "client">, projectId: string) => ({
  list: async (at?: number): Promise<Response<"listFiles">["files"]> =>
    (await client.listFiles({ params: { projectId }, query: at === undefined ? {} : { at } })).files,
  text: async (path: string, at?: number): Promise<string | null> =>
    (await client.getFile({ params: { projectId }, query: at === undefined ? { path } : { path, at } })).text,
  write: async (path: string, text: string, was: string | null = null) =>
    client.writeFiles({ params: { projectId }, body: { id: mintId(), ops: [{ do: "write", path, was, text }] } }),
  acts: async () => (await client.listActs({ params: { projectId }, query: { limit: 100 } })).acts,
  undo: async (actId: string) => client.undoAct({ params: { projectId, actId }, body: { id: mintId() } }),
});
