type RunOptions = {
  readonly messages: readonly { readonly content: readonly { readonly type: string; readonly text?: string }[] }[];
  readonly abortSignal: AbortSignal;
};
type RunResult = { readonly content: readonly { readonly type: "text"; readonly text: string }[] };

/** Runs in the page: calls the peer's server and yields the text so far with every delta, as assistant-ui requires. */
export async function* answer({ messages, abortSignal }: RunOptions): AsyncGenerator<RunResult> {
  const text = messages.at(-1)?.content.find(({ type }) => type === "text")?.text ?? "";
  const response = await fetch("/chat", { method: "POST", body: text, signal: abortSignal });
  if (!response.body) return;
  let soFar = "";
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      soFar += JSON.parse(line) as string;
      yield { content: [{ type: "text", text: soFar }] };
    }
  }
}
