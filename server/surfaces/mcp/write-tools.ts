import { acceptedContent, inputRequired, inputResponse, type InputRequiredResult } from "@modelcontextprotocol/server";
import { ApiError } from "../../../protocol/errors.ts";
import { z } from "zod";
import { MemoryField, memoryLimits } from "../../../protocol/memory.ts";
import { projectLimits } from "../../../protocol/project/kinds.ts";
import { EntityOp } from "../../../protocol/project/project.ts";
import type { McpRequest } from "./request.ts";
import { clip, MAX_TEXT, toResult, toTime } from "./result.ts";
import { defineMcpTool, Id, type McpTool } from "./tool.ts";

const OwnId = Id.optional().describe(
  "Chosen by you. Repeating a call with the same id and content has no further effect.",
);

/** Tools that write. Text written here is labeled as coming from the MCP client, because it may derive from anything. */
export const writeTools: readonly McpTool[] = [
  defineMcpTool({
    name: "remember",
    title: "Remember",
    description:
      "Proposes a value for a memory field about the user. It is stored only if the user approves; an empty value clears the field.",
    input: z.object({ id: OwnId, field: MemoryField, value: z.string().max(memoryLimits.fieldCharacters) }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: async ({ id, field, value }, request) => {
      const { memory } = await request.call("getMemory", { query: { limit: 1 } });
      const before = memory[field];
      if ((before?.value ?? "") === value) return toResult({ field, value, changed: false });
      const was = before ? ` It replaces: ${clip(before.value, 500)}` : "";
      const asked = askApproval(request, {
        question: `Remember about you, as ${field}: ${value === "" ? "(nothing)" : value}${was}`,
        elsewhere: "The user can add it on the page under Settings > Memory.",
      });
      if (asked) return asked;
      const base = before ? { was: before.changeId } : {};
      await request.call("setMemory", { body: { id: id ?? request.ids.next(), field, value, ...base } });
      return toResult({ field, value, changed: true });
    },
  }),
  defineMcpTool({
    name: "act_on_project",
    title: "Change a project",
    description:
      "Writes to a project atomically: create, update, move, link, unlink or delete entities. Updates name the version they are " +
      "based on (read_entity). Deleting, and many operations at once, need the user's approval. Every act can be undone.",
    input: z.object({ project_id: Id, id: OwnId, ops: z.array(EntityOp).min(1).max(projectLimits.opsPerAct) }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: async ({ project_id: projectId, id, ops }, request) => {
      const { project } = await request.call("getProject", { params: { projectId } });
      const question = await describeDanger(request, project, ops);
      const asked =
        question === undefined
          ? undefined
          : askApproval(request, {
              question,
              elsewhere: `The user can do it on the page: ${request.publicUrl}/p/${projectId}`,
            });
      if (asked) return asked;
      const body = { id: id ?? request.ids.next(), ops };
      const { act, entities } = await request.call("act", { params: { projectId }, body });
      return toResult({
        act: { id: act.id, text: clip(act.text, 2000), at: toTime(act.createdAt) },
        entities: entities
          .slice(0, 100)
          .map(({ body: text, ...entity }) => ({ ...entity, body: clip(text, MAX_TEXT / 20) })),
      });
    },
  }),
  defineMcpTool({
    name: "undo_act",
    title: "Undo an act",
    description:
      "Undoes an act of a project, if its writes are still current. The undo is an act, which can be undone too. Undoing a " +
      "creation deletes the created items and needs the user's approval.",
    input: z.object({ project_id: Id, act_id: Id, id: OwnId }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: async ({ project_id: projectId, act_id: actId, id }, request) => {
      const question = await describeUndo(request, projectId, actId);
      const elsewhere = `The user can do it on the page: ${request.publicUrl}/p/${projectId}`;
      const asked = question === undefined ? undefined : askApproval(request, { question, elsewhere });
      if (asked) return asked;
      const { act } = await request.call("undoAct", {
        params: { projectId, actId },
        body: { id: id ?? request.ids.next() },
      });
      return toResult({ act: { id: act.id, text: clip(act.text, 2000), at: toTime(act.createdAt) } });
    },
  }),
];

/** Why an act needs approval, with the names of what it deletes; undefined if it does not. */
async function describeDanger(
  { call }: McpRequest,
  project: { readonly id: string; readonly name: string },
  ops: readonly z.infer<typeof EntityOp>[],
): Promise<string | undefined> {
  const deleted = ops.flatMap((op) => (op.do === "delete" ? [op.id] : []));
  if (deleted.length === 0)
    return ops.length > projectLimits.bulk ? `Make ${ops.length} changes in the project “${project.name}”?` : undefined;
  const named = await Promise.all(
    deleted.slice(0, 3).map(async (entityId) => {
      const { entity } = await call("getEntity", { params: { projectId: project.id, entityId } });
      return `the ${entity.kind} “${clip(entity.title, 80)}”`;
    }),
  );
  const rest = deleted.length > 3 ? ` and ${deleted.length - 3} more` : "";
  return `Delete ${named.join(", ")}${rest} in the project “${project.name}”, with everything below? You can undo it.`;
}

/** Undefined if undoing the act deletes nothing. */
async function describeUndo({ call }: McpRequest, projectId: string, actId: string): Promise<string | undefined> {
  const { act } = await call("getAct", { params: { projectId, actId } });
  const created = act.changes.filter(({ what, before, after }) => what !== "edge" && before === null && after !== null);
  if (created.length === 0) return undefined;
  const named = created.slice(0, 3).map(({ title, id }) => `“${clip(title || id, 80)}”`);
  const rest = created.length > 3 ? ` and ${created.length - 3} more` : "";
  return `Undo “${clip(act.text, 200)}”? This deletes ${named.join(", ")}${rest}. You can undo it.`;
}

const Decision = z.object({ approve: z.boolean().describe("Allow this?") });
const KEY = "approve";

/**
 * Asks the user of the client before an effect that needs approval: the first call returns the question, the client repeats the
 * call with the answer. A client that cannot ask is refused, because there is no thread in which the question could wait.
 * Returns undefined if the user approved.
 */
function askApproval(
  { canElicit, context }: McpRequest,
  { question, elsewhere }: { readonly question: string; readonly elsewhere: string },
): InputRequiredResult | undefined {
  const { inputResponses } = context.mcpReq;
  const given = inputResponse(inputResponses, KEY);
  if (given.kind === "elicit") {
    if (acceptedContent(inputResponses, KEY, Decision)?.approve === true) return undefined;
    throw new ApiError("forbidden", "The user did not approve this. Nothing was changed.");
  }
  if (!canElicit())
    throw new ApiError(
      "forbidden",
      `This needs the user's approval, and this MCP client cannot ask for it (no elicitation). Nothing was changed. ${elsewhere}`,
    );
  return inputRequired({
    inputRequests: { [KEY]: inputRequired.elicit({ message: question, requestedSchema: Decision }) },
  });
}
