import type { Connection, ConnectionState } from "./connection.ts";
import type { ServerSettings } from "./mcp-file.ts";
import { hashDefinition, toLines, type Definition } from "./definition.ts";
import { diffLines, type DiffLine } from "./diff-lines.ts";
import type { Pin } from "./pins.ts";

/** How a server is, for the person whose tools it offers. */
export type ServerStatus = {
  readonly server: string;
  readonly kind: ServerSettings["kind"];
  readonly state: ConnectionState["at"];
  readonly why?: string;
  readonly tools: readonly { readonly tool: string; readonly title: string; readonly changed: boolean }[];
  /** What waits for the person's eyes. */
  readonly changes: readonly Change[];
  /** Tools that cannot be offered, each with its reason. */
  readonly problems: readonly string[];
};

export type Change = {
  readonly tool: string;
  /** Of the new one: what is accepted is what was seen. */
  readonly hash: string;
  readonly definition: Definition;
  readonly lines: readonly DiffLine[];
};

export function toStatus(
  { name, kind }: ServerSettings,
  connection: Connection,
  pins: ReadonlyMap<string, Pin>,
): ServerStatus {
  const { definitions, problems } = connection.list() ?? { definitions: [], problems: [] };
  const { at, why } = connection.state();
  const changes = definitions.flatMap((definition) => toChange(definition, pins.get(definition.name)));
  const changed = new Set(changes.map(({ tool }) => tool));
  return {
    server: name,
    kind,
    state: at,
    ...(why === undefined ? {} : { why }),
    tools: definitions.map((one) => ({ tool: one.name, title: one.title, changed: changed.has(one.name) })),
    changes,
    problems,
  };
}

function toChange(definition: Definition, pin: Pin | undefined): readonly Change[] {
  const hash = hashDefinition(definition);
  if (pin === undefined || pin.hash === hash) return [];
  const lines = diffLines(toLines(pin.definition), toLines(definition));
  return [{ tool: definition.name, hash, definition, lines }];
}
