import type { BodyInput } from "../../../protocol/api.ts";
import type { Client } from "../../../protocol/client.ts";
import { mintId } from "../instance.ts";
import { startRecordedInstance, type RecordedInstance } from "../model/recording-provider.ts";
import type { Json } from "../model/validators/rule.ts";

type Op = BodyInput<"act">["ops"][number];

/** A server with a recording provider and a project. */
export type ProjectInstance = RecordedInstance & {
  readonly projectId: string;
  /** Acts as the user. */
  readonly act: (...ops: readonly Op[]) => Promise<void>;
  /** Sends a message, waits for its answer, and returns the texts of the requests made for it. */
  readonly ask: (threadId: string, text: string) => Promise<readonly string[]>;
  readonly receiptOf: (threadId: string, back?: number) => ReturnType<Client["getReceipt"]>;
};

type Options = Parameters<typeof startRecordedInstance>[0] & { readonly project?: Partial<BodyInput<"createProject">> };

export async function startProjectInstance({ project = {}, ...options }: Options): Promise<ProjectInstance> {
  const chat = await startRecordedInstance(options);
  const projectId = mintId("project");
  await chat.client.createProject({ body: { id: projectId, name: "Harbour", ...project } });
  return withProject(chat, projectId);
}

/** A client of an existing project. `others`: further nodes of the same database, any of which may answer. */
export function withProject(
  chat: RecordedInstance,
  projectId: string,
  others: readonly RecordedInstance[] = [],
): ProjectInstance {
  const turns = new Map<string, number>();
  const nodes = [chat, ...others];
  return {
    ...chat,
    projectId,
    act: (...ops) => actOn(chat.client, projectId, ...ops),
    ask: async (threadId, text) => {
      const before = nodes.map(({ sent }) => sent().length);
      const turn = (turns.get(threadId) ?? 0) + 1;
      turns.set(threadId, turn);
      const live = chat.follow(threadId);
      await chat.send(threadId, text);
      await live.ended(turn);
      live.close();
      return nodes.flatMap(({ sent }, at) =>
        sent()
          .slice(before[at])
          .map(({ body }) => toPromptText(body)),
      );
    },
    receiptOf: async (threadId, back = 0) => {
      const { receipts } = await chat.client.listReceipts({ params: { threadId }, query: {} });
      return chat.client.getReceipt({ params: { threadId, receiptId: receipts[back]?.id ?? "" } });
    },
  };
}

export async function actOn(client: Client, projectId: string, ...ops: readonly Op[]): Promise<void> {
  await client.act({ params: { projectId }, body: { id: mintId("act"), ops: [...ops] } });
}

/** All texts of a request, joined. */
export const toPromptText = (body: Json): string =>
  body.messages
    .flatMap(({ content }: Json) => (typeof content === "string" ? [content] : content))
    .map((block: Json) => (typeof block === "string" ? block : (block.text ?? toText(block.content ?? block.input))))
    .join("\n");

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

export const create = (kind: string, id: string, title: string, more: object = {}): Op =>
  ({ do: "create", id, kind, title, ...more }) as Op;

export async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^\\w*${name} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
}
