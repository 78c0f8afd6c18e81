import { createHash } from "node:crypto";
import { toSource } from "../../../protocol/context/untrusted.ts";
import { defineTool, type Effect, type Progress, type Tool } from "../tool.ts";
import { cleanText } from "./clean-text.ts";
import type { Connection } from "./connection.ts";
import { hashDefinition, type Definition } from "./definition.ts";
import type { Call, ToolList } from "./transport/link.ts";
import type { ServerSettings } from "./mcp-file.ts";
import { checkSchema } from "./check-schema.ts";
import { toInput } from "./to-input.ts";
import { toSentence } from "./transport/server-failure.ts";
import { toOutput } from "./to-output.ts";

type Offer = {
  readonly name: string;
  /** As pinned: what changed since is not shown to a model. */
  readonly definition: Definition;
  readonly settings: ServerSettings;
  readonly connection: Connection;
  /** Throws when the tool is no longer what was pinned. */
  readonly check: (list: ToolList) => Promise<void>;
};

/** Beyond the limit that the run keeps, so that it is the run that says what a call out of time means. */
const SLACK_MS = 2000;
const MAX_PROGRESS_LENGTH = 200;

/** A tool of a server as one of ours. */
export function offerTool({ name, definition, settings, connection, check }: Offer): Tool {
  const { description, title, inputSchema, outputSchema } = definition;
  const shownTitle = title || definition.name;
  const kind = toClass(definition, settings);
  const source = toSource(`the MCP server ${settings.name}`);
  return defineTool({
    name,
    description: description || shownTitle,
    input: toInput(inputSchema),
    ...kind,
    limits: { timeoutMs: settings.timeoutMs },
    // What a trusted server returns may still hold words of anybody: mail, issues, pages.
    untrusted: () => [source],
    identity: toIdentity(definition, settings),
    locks: () => (kind.effects.includes("write") ? [`mcp:${settings.name}`] : []),
    describe: () => `${shownTitle} (${settings.name})`,
    execute: async (input, { signal, progress, saveArtifact }) => {
      const result = await connection
        .call({
          tool: definition.name,
          input,
          timeoutMs: settings.timeoutMs + SLACK_MS,
          signal,
          onProgress: (told) => progress(toProgress(told)),
          check,
        })
        .catch((error: unknown) => {
          throw new Error(`${settings.name}: ${toSentence(error)}`, { cause: error });
        });
      const { output, structured } = toOutput(result, shownTitle, saveArtifact);
      const [lie] = outputSchema ? checkSchema(outputSchema, structured) : [];
      if (lie)
        throw new Error(`${settings.name} answered otherwise than it declares: ${toPlace(lie.path)} ${lie.message}.`);
      return { output };
    },
  });
}

const toPlace = (path: readonly (string | number)[]): string => path.join(".") || "the result";

function toProgress({ message, progress, total }: Parameters<Call["onProgress"]>[0]): Progress {
  const text = cleanText(message ?? "").slice(0, MAX_PROGRESS_LENGTH) || `${progress}${total ? ` of ${total}` : ""}`;
  return { text, done: progress, ...(total === undefined ? {} : { of: total }) };
}

type Class = { readonly repeat: Tool["repeat"]; readonly effects: readonly Effect[] };

/** The server by its address, and the tool by its definition: another of the same name is another tool. */
function toIdentity(definition: Definition, settings: ServerSettings): string {
  const address =
    settings.kind === "http"
      ? [settings.url]
      : [settings.command, ...settings.args, settings.cwd, toPairs(settings.env)];
  const hash = createHash("sha256").update(JSON.stringify([settings.kind, address, hashDefinition(definition)]));
  return `mcp:${hash.digest("base64url")}`;
}

const toPairs = (env: Readonly<Record<string, string>>) => Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1));

/**
 * Hints are claims of the server. They widen nothing unless the operator trusts it: otherwise a tool writes, sends and is never
 * repeated, so it asks.
 */
export function toClass({ hints }: Definition, { kind, trust }: ServerSettings): Class {
  if (hints.destructive === true) return { repeat: "once", effects: ["write", "egress", "destructive"] };
  if (!trust) return { repeat: "once", effects: ["write", "egress"] };
  if (hints.readOnly !== true)
    return { repeat: hints.idempotent === true ? "keyed" : "once", effects: ["write", "egress"] };
  return { repeat: "pure", effects: kind === "stdio" ? ["read"] : ["read", "egress"] };
}
