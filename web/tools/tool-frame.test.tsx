import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ToolFrame } from "./tool-frame.tsx";

test.each(["hasOwnProperty", "constructor", "toString", "__proto__"])("renders a tool named %s", (name) => {
  const part = { id: "p", v: 1, n: 0, step: 1, kind: "tool", callId: "c", name, state: "ok", input: {}, output: "x" };
  const html = renderToStaticMarkup(<ToolFrame part={part as never} />);
  expect(html).toContain(`Tool ${name}`);
});

test.each([
  ['There is no tool "fly". Available tools: search, read.', "The model called a tool that does not exist."],
  ["Not run. Unknown argument: kind. Known arguments: ids.", "The model called this tool incorrectly."],
])("shows a mistake of the model in one sentence, with %j among the details", (errorText, sentence) => {
  const part = {
    id: "p",
    v: 1,
    n: 0,
    step: 1,
    kind: "tool",
    callId: "c",
    name: "x",
    state: "error",
    input: {},
    errorText,
  };
  const [details = "", visible = ""] = renderToStaticMarkup(<ToolFrame part={part as never} />).split("</details>");
  expect(visible).toContain(sentence);
  expect(visible).not.toContain("nown arguments");
  expect(details).toContain("Error for the model");
});
