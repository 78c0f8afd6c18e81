import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ToolFrame } from "./tool-frame.tsx";

test.each(["hasOwnProperty", "constructor", "toString", "__proto__"])("renders a tool named %s", (name) => {
  const part = { id: "p", v: 1, n: 0, step: 1, kind: "tool", callId: "c", name, state: "ok", input: {}, output: "x" };
  const html = renderToStaticMarkup(<ToolFrame part={part as never} />);
  expect(html).toContain(`Tool ${name}`);
});
