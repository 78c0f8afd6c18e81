import { defineTool } from "../tool.ts";
import type { CreateTool } from "../workshop.ts";
import { fillProject, touchProject } from "./fields.ts";
import { findProject } from "./find-project.ts";
import { DeleteInput } from "./inputs.ts";
import { planWrite } from "./write/plan-write.ts";
import { findRows } from "./write/update-ops.ts";

const create: CreateTool = ({ clock }) =>
  defineTool({
    name: "delete_entities",
    description: "Deletes things of a project with everything below them. The person is asked first, and can undo it.",
    input: DeleteInput,
    repeat: "keyed",
    effects: ["write", "destructive"],
    limits: { timeoutMs: 10_000, resultTokens: 1000 },
    fill: fillProject,
    touches: touchProject,
    describe: ({ ids }) => `Delete ${ids.join(", ")}`,
    digest: (_, output) => (output as { done: string }).done,
    execute: async (input, context) => {
      const project = await findProject(context, input.project_id);
      if (input.ids.includes(project.id)) throw new Error("A project is deleted by the person alone, on its page.");
      return planWrite({
        context,
        project,
        asked: input,
        now: clock.now(),
        toOps: async (reads) => {
          const rows = await findRows(reads, project.id, input.ids);
          const isBelow = (parent: string | null): boolean =>
            parent !== null && (rows.has(parent) || isBelow(rows.get(parent)?.parent ?? null));
          // What goes with something above it is not deleted a second time.
          const tops = [...rows.values()].filter(({ parent }) => !isBelow(parent));
          return tops.map(({ id, version }) => ({ do: "delete" as const, id, version }));
        },
      });
    },
  });
export default create;
