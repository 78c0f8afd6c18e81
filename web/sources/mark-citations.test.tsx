import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { FactsContext, type MessageFacts } from "./message-facts.ts";
import Rendered from "../markdown/rendered.tsx";
import { createSignal } from "../lib/signal.ts";
import { PageContext, type Page } from "../state/page.ts";
import type { Citation } from "../state/panels.ts";

const page = { sidePanel: createSignal(null) } as unknown as Page;

function render(text: string, refs: readonly number[], citations: readonly Citation[] = []) {
  const facts: MessageFacts = {
    threadId: "t",
    sources: refs.map((ref) => ({
      id: `s${ref}`,
      v: 1,
      n: ref,
      step: 1,
      kind: "source",
      sourceType: "url",
      ref,
      refs: [ref],
      title: `Title ${ref}`,
    })),
    checked: { citations, answer: text },
    searched: [],
    pointed: createSignal<string | null>(null),
    undone: createSignal<ReadonlySet<string>>(new Set()),
  };
  return renderToStaticMarkup(
    <PageContext value={page}>
      <FactsContext value={facts}>
        <Rendered text={text} streaming={false} />
      </FactsContext>
    </PageContext>,
  );
}

const countLinks = (html: string) => html.match(/class="citation"/g)?.length ?? 0;

test.each([
  ["High [1].", 1],
  ["High [1, 2].", 2],
  ["High **and [1][2]** low.", 2],
  ["- a list [1]\n- another [2]", 2],
  ["| a |\n|---|\n| cell [1] |", 1],
  ["`list[1]` and [1]", 1],
  ["```\nlist[1]\n```", 0],
  ["[a link [1]](https://example.com)", 0],
  ["[1](https://example.com)", 0],
  ["no such source [7]", 0],
])("%j has %i links to sources", (text, count) => {
  expect(countLinks(render(text, [1, 2]))).toBe(count);
});

test("a number without a source stays plain text", () => {
  expect(render("the year [1999] was good", [1])).toContain("the year [1999] was good");
});

test("outside of an answer, numbers in brackets stay plain text", () => {
  expect(renderToStaticMarkup(<Rendered text="High [1]." streaming={false} />)).toContain("High [1].");
});

test("unverified citations say so, and missing sources cannot be opened", () => {
  const text = "Quoted [1] and made up [9].";
  const html = render(
    text,
    [1],
    [
      { ref: 1, at: [7, 10], state: "unverified" },
      { ref: 9, at: [23, 26], state: "missing" },
    ],
  );
  expect(html).toContain("Source 1: Title 1, not found in the source");
  expect(html).toContain("Source 9: Source 9, no such source");
  expect(html.match(/disabled=""/g)).toHaveLength(1);
});
