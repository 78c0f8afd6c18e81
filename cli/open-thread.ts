import { randomUUID } from "node:crypto";
import type { ApiClient } from "../protocol/api-client.ts";
import { UsageError } from "./connect.ts";

export type ThreadChoice = {
  readonly thread?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly model?: string | undefined;
  readonly profile?: string | undefined;
  readonly temporary?: boolean | undefined;
};

/** Returns the id of the chosen thread, or of a new one. */
export async function openThread({
  client,
  ...choice
}: ThreadChoice & { readonly client: ApiClient }): Promise<string> {
  if (choice.thread !== undefined) {
    assertExisting(choice);
    return (await client.getThread({ params: { threadId: choice.thread }, query: { limit: 1 } })).thread.id;
  }
  if (choice.continue) {
    assertExisting(choice);
    const { threads } = await client.listThreads({});
    const [newest] = threads.toSorted((a, b) => b.updatedAt - a.updatedAt);
    if (newest) return newest.id;
    throw new UsageError("There is no thread to continue yet.");
  }
  const { model, profile, temporary } = choice;
  const body = {
    id: randomUUID(),
    ...(model === undefined ? {} : { model }),
    ...(profile === undefined ? {} : { profile }),
    ...(temporary ? { temporary } : {}),
  };
  return (await client.createThread({ body })).id;
}

function assertExisting({ profile, temporary }: ThreadChoice): void {
  if (profile !== undefined || temporary) throw new UsageError("--profile and --temporary are for new threads.");
}
