import type { Part } from "../../../protocol/parts.ts";
import { unwrapCall, type ToolPart } from "../../labels/tools.ts";
import { asRecord, listAt, textAt } from "../../lib/read-json.ts";

/** An entity in the result of a tool call. */
export type NamedEntity = {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly state: string;
  readonly ends: string;
  readonly projectId: string;
};

export function readEntities({ output }: ToolPart): readonly NamedEntity[] {
  const projectId = textAt(asRecord(output)["project"], "id");
  return listAt(output, "entities").flatMap((value) => {
    const [id, kind, title] = [textAt(value, "id"), textAt(value, "kind"), textAt(value, "title")];
    if (id === "" || title === "") return [];
    const own = textAt(value, "project_id") || projectId;
    return [{ id, kind, title, state: textAt(value, "state"), ends: textAt(value, "ends"), projectId: own }];
  });
}

/** Ids of the projects that a message's tool calls wrote to; "" is the thread's project. */
export function listWritten(parts: readonly Part[]): readonly string[] {
  const calls = parts.filter((part) => part.kind === "tool").map(unwrapCall);
  const written = calls.filter(({ state, output }) => state === "ok" && textAt(output, "act_id", "actId") !== "");
  return [...new Set(written.map(({ output }) => textAt(asRecord(output)["project"], "id")))];
}
