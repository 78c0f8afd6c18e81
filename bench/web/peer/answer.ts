type Asked = {
  readonly messages: readonly { readonly content: readonly { readonly type: string; readonly text?: string }[] }[];
  readonly abortSignal: AbortSignal;
};
type Answered = { readonly content: readonly { readonly type: "text"; readonly text: string }[] };

/** Runs in the page: asks the peer's server and gives the text so far with every delta, as assistant-ui wants it. */
export async function* answer({ messages, abortSignal }: Asked): AsyncGenerator<Answered> {
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
