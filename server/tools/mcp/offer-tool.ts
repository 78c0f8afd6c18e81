import { createHash } from "node:crypto";
import { toSource } from "../../../protocol/context/untrusted.ts";
import type { ToolGroup } from "../group.ts";
import { projectGroup } from "../project/group.ts";
import { defineTool, type Effect, type Progress, type Tool } from "../tool.ts";
import { filesGroup } from "../workspace/group.ts";
import { removeInvisible } from "./clean-text.ts";
import type { Connection } from "./connection.ts";
import { hashDefinition, type Definition } from "./definition.ts";
import type { McpToolCall } from "./transport/calls.ts";
import { findInputRequest, toAnswer, toQuestion, type ElicitationState } from "./transport/elicitation.ts";
import type { ToolList } from "./transport/link.ts";
import type { ServerSettings } from "./mcp-file.ts";
import { checkSchema, toZodSchema } from "./check-schema.ts";
import { toSentence } from "./transport/server-failure.ts";
import { toOutput } from "./to-output.ts";

type Offer = {
  readonly name: string;
  /** The pinned definition. Later changes are not shown to a model until the user accepts them. */
  readonly definition: Definition;
  readonly settings: ServerSettings;
  readonly connection: Connection;
  /** Throws if the tool no longer matches its pin. */
  readonly check: (list: ToolList) => Promise<void>;
};

/** Added to the run's own timeout, so that the run times out first and decides what that means. */
const SLACK_MS = 2000;
const MAX_PROGRESS_LENGTH = 200;

/** Wraps a server's tool as a `Tool`. */
export function offerTool({ name, definition, settings, connection, check }: Offer): Tool {
  const { description, title, inputSchema, outputSchema } = definition;
  const shownTitle = title || definition.name;
  const policy = toPolicy(definition, settings);
  const source = toSource(`the MCP server ${settings.name}`);
  return defineTool({
    name,
    description: description || shownTitle,
    input: toZodSchema(inputSchema),
    ...policy,
    ...toGroup(name),
    limits: { timeoutMs: settings.timeoutMs },
    // Even a trusted server may return text by third parties: mail, issues, pages.
    untrusted: () => [source],
    identity: toIdentity(definition, settings),
    ...(settings.kind === "http" && settings.isOwn ? { isPersonal: true } : {}),
    locks: () => (policy.effects.includes("write") ? [`mcp:${settings.name}`] : []),
    describe: () => `${shownTitle} (${settings.name})`,
    cancelQuestion: (resume) => {
      const { held } = resume as ElicitationState;
      if (held !== undefined) connection.cancelHeld(held);
    },
    execute: async (input, { signal, progress, saveArtifact, answered }) => {
      const result = await connection
        .call({
          tool: definition.name,
          input,
          timeoutMs: settings.timeoutMs + SLACK_MS,
          signal,
          onProgress: (update) => progress(toProgress(update)),
          check,
          ...(answered ? { answer: toAnswer(answered.resume as ElicitationState, answered.answers) } : {}),
        })
        .catch((error: unknown) => {
          throw new Error(`${settings.name}: ${toSentence(error)}`, { cause: error });
        });
      const request = findInputRequest(result);
      if (request) {
        const { question, state } = toQuestion(request);
        return { output: null, asks: { question, resume: state, text: settings.name } };
      }
      const { output, structured } = toOutput(result, shownTitle, saveArtifact);
      const [issue] = outputSchema ? checkSchema(outputSchema, structured) : [];
      if (issue)
        throw new Error(
          `${settings.name} returned a result that does not match its output schema: ${toPath(issue.path)} ${issue.message}.`,
        );
      return { output };
    },
  });
}

const toPath = (path: readonly (string | number)[]): string => path.join(".") || "the result";

function toProgress({ message, progress, total }: Parameters<McpToolCall["onProgress"]>[0]): Progress {
  const text =
    removeInvisible(message ?? "").slice(0, MAX_PROGRESS_LENGTH) || `${progress}${total ? ` of ${total}` : ""}`;
  return { text, done: progress, ...(total === undefined ? {} : { of: total }) };
}

const projectNames =
  /(?:^|_)(?:projects?|goals?|milestones?|plans?|tasks?|events?|calendar|documents?|edges?|entit(?:y|ies)|onto)(?:_|$)/;
const fileNames = /(?:^|_)(?:files?|folders?|director(?:y|ies)|workspace)(?:_|$)/;

/** A server does not say when its tools are useful, so their group is guessed from their name. */
export function toGroup(name: string): { readonly group?: ToolGroup } {
  if (projectNames.test(name)) return { group: projectGroup };
  return fileNames.test(name) ? { group: filesGroup } : {};
}

type ToolPolicy = { readonly repeat: Tool["repeat"]; readonly effects: readonly Effect[] };

/** Hashes the server's URL or command and the tool's definition, so a different tool of the same name has another identity. */
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
 * Hints are claims by the server and relax the policy only if the operator trusts it. Otherwise a tool counts as writing and
 * sending data and is never repeated, so it needs approval.
 */
function toPolicy({ hints }: Definition, { kind, trust }: ServerSettings): ToolPolicy {
  if (hints.destructive === true) return { repeat: "once", effects: ["write", "egress", "destructive"] };
  if (!trust) return { repeat: "once", effects: ["write", "egress"] };
  if (hints.readOnly !== true)
    return { repeat: hints.idempotent === true ? "keyed" : "once", effects: ["write", "egress"] };
  return { repeat: "pure", effects: kind === "stdio" ? ["read"] : ["read", "egress"] };
}
