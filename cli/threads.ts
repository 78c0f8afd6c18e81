import type { ApiClient } from "../protocol/api-client.ts";
import { describeEnd, textOf } from "../protocol/fold.ts";
import { UsageError } from "./connect.ts";
import { toPrintable } from "./output.ts";

type Options = {
  readonly client: ApiClient;
  readonly words: readonly string[];
  readonly limit: number;
  readonly json?: boolean | undefined;
};
type Sink = { readonly write: (text: string) => unknown };

/** Lists, prints and searches threads. */
export async function threads({ client, words, limit, json = false }: Options, sink: Sink): Promise<number> {
  const [action = "list", ...rest] = words;
  const print = (value: object, line: string): void =>
    void sink.write(json ? `${JSON.stringify(value)}\n` : `${toPrintable(line)}\n`);
  const argument = rest.join(" ");
  if (action !== "list" && argument === "") throw new UsageError(`"threads ${action}" needs something to look for.`);

  if (action === "list") {
    const found = await client.listThreads({ query: { limit } });
    for (const thread of found.threads) print(thread, `${thread.id}  ${toDate(thread.updatedAt)}  ${thread.title}`);
  } else if (action === "show") {
    const { thread, messages } = await client.getThread({ params: { threadId: argument }, query: { limit } });
    print(thread, `# ${thread.title}\n`);
    for (const message of messages) {
      const end = message.endedEarly ? `\n(${describeEnd(message.endedEarly)})` : "";
      print(message, `${message.role === "user" ? "> " : ""}${textOf(message.parts)}${end}\n`);
    }
  } else if (action === "search") {
    const { hits } = await client.search({ query: { q: argument, limit } });
    for (const hit of hits) {
      const where = hit.thread?.id ?? ("projectId" in hit.target ? `project ${hit.target.projectId}` : "");
      print(hit, `${where}  ${toDate(hit.at)}  ${hit.title}\n    ${hit.snippet.replaceAll(/\s+/g, " ")}`);
    }
    if (hits.length === 0 && !json) sink.write(`No results for "${toPrintable(argument)}".\n`);
  } else throw new UsageError(`"threads ${action}" is unknown.`);
  return 0;
}

const toDate = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
