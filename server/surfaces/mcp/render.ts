import { untrustedIn, type Sources } from "../../../protocol/context/untrusted.ts";
import type { ThreadSummary } from "../../../protocol/events.ts";
import { describeEnd, textOf, type MessageView } from "../../../protocol/fold.ts";
import type { Part, PartOf } from "../../../protocol/parts.ts";
import { clip, MAX_PAGE_TEXT, toTime } from "./result.ts";

export const threadUri = (threadId: string): string => `stonechat://threads/${threadId}`;
export const projectUri = (projectId: string): string => `stonechat://projects/${projectId}`;

export const toThreadLine = ({ id, title, preview, profile, model, status, projectId, ...thread }: ThreadSummary) => ({
  ...{ id, uri: threadUri(id), title, preview, profile, model, status, project_id: projectId },
  messages: thread.messageCount,
  updated_at: toTime(thread.updatedAt),
});

/** Messages with bounded texts. Older messages get less room when a page is full. */
export function renderMessages(messages: readonly MessageView[], mostEach: number): readonly RenderedMessage[] {
  let room = MAX_PAGE_TEXT;
  return messages
    .toReversed()
    .map((message) => {
      const shown = renderMessage(message, Math.max(200, Math.min(mostEach, room)));
      room -= shown.text.length;
      return shown;
    })
    .toReversed();
}

type RenderedMessage = {
  readonly id: string;
  readonly number: number;
  readonly role: "user" | "assistant";
  readonly at: string;
  readonly text: string;
  readonly untrusted: Sources;
};

function renderMessage({ id, depth, role, createdAt, parts, endedEarly }: MessageView, most: number): RenderedMessage {
  const current = parts.filter(({ aside }) => aside === undefined);
  const tools = current.filter((part): part is PartOf<"tool"> => part.kind === "tool");
  const files = current.filter((part): part is PartOf<"file"> => part.kind === "file");
  return {
    ...{
      id,
      number: depth,
      role,
      at: toTime(createdAt),
      text: clip(textOf(parts), most),
      untrusted: untrustedIn(parts),
    },
    ...(tools.length === 0 ? {} : { tool_calls: tools.map(toCallLine) }),
    ...(files.length === 0 ? {} : { files: files.map(({ name, mediaType, ref }) => ({ name, mediaType, ref })) }),
    ...(endedEarly === undefined ? {} : { ended_early: describeEnd(endedEarly) }),
  };
}

const toCallLine = ({ name, title, state, errorText }: PartOf<"tool">) => ({
  ...{ name, state },
  ...(title === undefined ? {} : { title: clip(title, 300) }),
  ...(errorText === undefined ? {} : { error: clip(errorText, 300) }),
});

/** Sources that an answer read or cites, by number. */
export const listSources = (parts: readonly Part[]) =>
  parts
    .filter((part): part is PartOf<"source"> => part.kind === "source" && part.status !== "failed")
    .slice(0, 50)
    .map(({ ref, url, title }) => ({ ref, url, title }));
