import type { Part, PartOf } from "../../../protocol/parts.ts";
import type { Catalog } from "../../tools/catalog.ts";
import { resolveCall } from "../tool-calls/resolve-call.ts";

/** Writes of an answer that failed, or may have: told to the person by code, whatever the answer itself claims. */
export function listFailedWrites(parts: readonly Part[], catalog: Catalog): string | undefined {
  const calls = parts.filter((part): part is PartOf<"tool"> => part.kind === "tool");
  const writes = calls.flatMap((part) => {
    const { tool, name, input } = resolveCall(part, catalog);
    const isWrite = tool?.effects.some((effect) => effect !== "read" && effect !== "egress") ?? false;
    return isWrite ? [{ part, name, sign: `${name} ${JSON.stringify(input)}` }] : [];
  });
  const lines = writes.flatMap(({ part, name, sign }, at) => {
    const isMade = writes.some((other, later) => later > at && other.sign === sign && other.part.state === "ok");
    if (isMade || (part.state !== "error" && part.state !== "unknown")) return [];
    const what = part.title ?? name;
    return [part.state === "unknown" ? `${what}: it is not known whether it happened` : `${what}: it failed`];
  });
  return lines.length ? `Not everything was done. ${lines.join("; ")}.` : undefined;
}
