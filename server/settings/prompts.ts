import type { Body, Query } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import { promptLimits, type Prompt } from "../../protocol/settings/prompts.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import { checkPlace } from "../project/project.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

export type PromptSettings = ReturnType<typeof createPromptSettings>;

type Options = { readonly store: Store; readonly log: Log; readonly clock: Clock };

/** Saved prompts of a user, for all threads or for the threads of a project. Names are unique within each. */
export function createPromptSettings({ store, log, clock }: Options) {
  const { read } = store;

  const getOwn = async ({ userId }: Principal, id: string): Promise<RowOf<"prompts">> => {
    const row = await read.prompt(userId, id);
    if (!row) throw new ApiError("not-found", "Not found.");
    return row;
  };
  const commit = async ({ userId }: Principal, write: Write): Promise<boolean> => {
    const events = [{ stream: userStream(userId), event: { type: "prompts-changed" as const } }];
    return (await log.commit({ events, writes: [write] })).ok;
  };
  const isTaken = async ({ userId }: Principal, { id, project, name }: RowOf<"prompts">): Promise<boolean> =>
    (await read.promptsOf(userId)).some((row) => row.id !== id && row.project === project && row.name === name);

  const explain = async (principal: Principal, row: RowOf<"prompts">): Promise<never> => {
    if (await isTaken(principal, row)) {
      throw new ApiError("conflict", `You already have a prompt named "${row.name}" there. Use another name.`);
    }
    const current = await read.prompt(principal.userId, row.id);
    const text = "This prompt was changed by another request. Reload it and try again.";
    throw new ApiError("conflict", text, current && toPrompt(current));
  };

  return {
    list: async (principal: Principal, { projectId, q }: Query<"listPrompts">): Promise<{ prompts: Prompt[] }> => {
      if (projectId !== undefined) await checkPlace(read, principal, { project: projectId, focus: null });
      const wanted = q?.trim().toLowerCase() ?? "";
      const rows = (await read.promptsOf(principal.userId)).filter(
        ({ project, name, text }) =>
          (projectId === undefined || project === "" || project === projectId) &&
          (wanted === "" || name.includes(wanted) || text.toLowerCase().includes(wanted)),
      );
      return { prompts: rows.map(toPrompt) };
    },

    create: async (principal: Principal, body: Body<"createPrompt">): Promise<{ prompt: Prompt }> => {
      const { id, text, projectId } = body;
      const name = body.name.toLowerCase();
      if (projectId !== null) await checkPlace(read, principal, { project: projectId, focus: null });
      const [owner, now] = [principal.userId, clock.now()];
      const place = { owner, id, project: projectId ?? "", name };
      const row = { ...place, version: 1, text, created_at: now, updated_at: now };
      const others = await read.promptsOf(owner);
      const known = others.find((other) => other.id === id);
      if (known) {
        if (known.name === name && known.text === text && known.project === row.project) {
          return { prompt: toPrompt(known) };
        }
        throw new ApiError("conflict", "This id was already used for another prompt. Use a new id.");
      }
      if (others.length >= promptLimits.perUser) {
        throw new ApiError("too-large", `You already have ${promptLimits.perUser} prompts. Delete one first.`);
      }
      if (await commit(principal, { do: "insert", table: "prompts", row })) return { prompt: toPrompt(row) };
      return explain(principal, row);
    },

    change: async (
      principal: Principal,
      id: string,
      { was, name, text, projectId }: Body<"changePrompt">,
    ): Promise<{ prompt: Prompt }> => {
      const row = await getOwn(principal, id);
      if (projectId) await checkPlace(read, principal, { project: projectId, focus: null });
      const set = {
        name: name?.toLowerCase() ?? row.name,
        text: text ?? row.text,
        project: projectId === undefined ? row.project : (projectId ?? ""),
        version: was + 1,
        updated_at: clock.now(),
      };
      const where = { owner: row.owner, id, version: was };
      const isDone = await commit(principal, { do: "update", table: "prompts", set, where, expectOne: true });
      return isDone ? { prompt: toPrompt({ ...row, ...set }) } : explain(principal, { ...row, ...set });
    },

    remove: async (principal: Principal, id: string): Promise<{ id: string }> => {
      const { owner } = await getOwn(principal, id);
      await commit(principal, { do: "delete", table: "prompts", where: { owner, id } });
      return { id };
    },
  };
}

const toPrompt = ({ id, name, text, project, version, updated_at: updatedAt }: RowOf<"prompts">): Prompt => ({
  id,
  name,
  text,
  projectId: project === "" ? null : project,
  version,
  updatedAt,
});
