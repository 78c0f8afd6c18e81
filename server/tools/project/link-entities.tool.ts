import { relations } from "../../../protocol/project/kinds.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { projectGroup } from "./group.ts";
import { askBulk, askOtherProject, fillProject, touchProject } from "./fields.ts";
import { findProject } from "./find-project.ts";
import { LinkInput } from "./inputs.ts";
import { planWrite } from "./plan-write.ts";

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "link_entities",
    group: projectGroup,
    aliases: ["unlink_entities"],
    description: `Links things of a project, or unlinks them. A relation is a short word, mostly ${relations.join(", ")}.`,
    input: LinkInput,
    repeat: "keyed",
    effects: ["write"],
    limits: { timeoutMs: 10_000, resultTokens: 1000 },
    fill: fillProject,
    locks: touchProject,
    approvalReason: ({ links }) => askBulk(links.length),
    approvalReasonIfUntrusted: askOtherProject,
    describe: ({ links, remove }) =>
      `${remove ? "Unlink" : "Link"} ${links.map(({ from, relation, to }) => `${from} ${relation} ${to}`).join(", ")}`,
    summarize: (_, output) => (output as { done: string }).done,
    execute: async (input, context) => {
      const project = await findProject(context, input.project_id);
      const verb = input.remove ? ("unlink" as const) : ("link" as const);
      const ops = input.links.map(({ from, relation, to }) => ({ do: verb, sourceId: from, targetId: to, relation }));
      return planWrite({ context, project, input, now: clock.now(), toOps: async () => ops });
    },
  });
export default create;
