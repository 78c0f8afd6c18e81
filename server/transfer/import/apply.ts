import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Seal } from "../../lib/seal.ts";
import type { Log } from "../../log/log.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Models } from "../../model/model.ts";
import type { Projects } from "../../project/project.ts";
import type { Store } from "../../store/contract.ts";
import { toSignature } from "../export/archive.ts";
import type { ReadReply } from "../items.ts";
import { createAddOutline, createAddProject } from "./add-project.ts";
import { createAddThread } from "./add-thread.ts";
import { clearFiles } from "./files.ts";
import { createStep, type Ask, type StepResult, type Head, type Import } from "./units.ts";

type Deps = {
  readonly store: Store;
  readonly log: Log;
  readonly projects: Pick<Projects, "act">;
  readonly memory: Pick<Memory, "view">;
  readonly models: Pick<Models, "forUser">;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly folder: string;
};

/** Stores what a reader found, unit by unit. */
export function createApply(deps: Deps) {
  const { seal, memory } = deps;
  const step = createStep(deps);
  const addThread = createAddThread({ ...deps, step });
  const addProject = createAddProject({ ...deps, step });
  const addOutline = createAddOutline({ ...deps, step });

  const addMemory = async (row: Import, { position, field, text }: Head<"memory">): StepResult => {
    const before = (await memory.view(row.owner))[field]?.value ?? "";
    const isKnown = before === text || before.split("\n").includes(text);
    return step(row, { position, lines: isKnown ? [] : [{ kind: "memory", target: field, text }] });
  };

  return {
    /** Called when an import ends. */
    clear: ({ id }: Import): Promise<void> => clearFiles(deps.folder, id),

    unit: async (row: Import, reply: ReadReply, ask: Ask): StepResult => {
      switch (reply.kind) {
        case "opened": {
          const { signed } = reply;
          const isOwn = signed !== null && signed.signature === toSignature(seal, row.owner, signed.digest);
          // No rows were stored, so the position of the import does not change.
          return isOwn ? step(row, { progress: { isOwn } }) : row;
        }
        case "note":
          return step(row, { position: reply.position, lines: [{ kind: "note", text: reply.text }] });
        case "memory":
          return addMemory(row, reply);
        case "thread":
          return addThread(row, reply, ask);
        case "project":
          return addProject(row, reply, ask);
        case "outline":
          return addOutline(row, reply);
        default:
          throw new Error(`A reader sent ${reply.kind} outside of a unit.`);
      }
    },
  };
}
