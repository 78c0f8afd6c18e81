import { describe, expect, test } from "vitest";
import { layOut } from "./layout.ts";
import { parseTree } from "./tree.ts";

const read = (html: string): string =>
  layOut(parseTree(html))
    .runs.map(({ text }) => text)
    .join(" | ");
const page = (attributes: string): string =>
  `<p>seen before it, a sentence of some length</p><div ${attributes}>secret</div><p>seen after it</p>`;
const control = "seen before it, a sentence of some length | secret | seen after it";

describe("drops invisible elements", () => {
  test.each([
    "hidden",
    'hidden="until-found"',
    'aria-hidden="true"',
    'class="big sr-only"',
    'class="screen-reader-text"',
    'style="display:none"',
    'style="color: red; DISPLAY : NONE !important"',
    'style="visibility:hidden"',
    'style="opacity:0"',
    'style="opacity: 0.0"',
    'style="font-size:0"',
    'style="font-size: 0px; color: red"',
    'style="position:absolute; left:-9999px"',
    'style="text-indent:-5000em"',
    'style="position:absolute;clip:rect(0,0,0,0)"',
    'style="clip-path: inset(50%)"',
    'style="height:0;overflow:hidden"',
    'style="width:1px;height:1px;overflow:hidden"',
    'style="transform:scale(0)"',
    'style="color:#fff;background:#ffffff"',
    'style="color:white; background-color:rgb(255, 255, 255)"',
    'style="color:transparent"',
    'style="color: rgba(0,0,0,0)"',
  ])("<div %s>", (attributes) => {
    expect(read(page(attributes))).toBe("seen before it, a sentence of some length | seen after it");
  });

  test.each([
    'aria-hidden="false"',
    'class="hidden-gems"',
    'style="display:block"',
    'style="font-size:0.9em"',
    'style="opacity:0.5"',
    'style="margin-left:-20px"',
    'style="color:#fff;background:#000"',
    'style="height:0"',
    'style="opacity:0; transform: translateY(20px)"',
    'data-w-id="1" style="opacity:0"',
  ])("reads visible elements and fade-ins: <div %s>", (attributes) => {
    expect(read(page(attributes))).toBe(control);
  });

  test("reads a page that scripts reveal as a whole", () => {
    expect(read(`<div style="opacity:0"><p>All that the page says.</p></div><p>foot</p>`)).toBe(
      "All that the page says. | foot",
    );
  });

  test("drops hidden words inside a paragraph", () => {
    expect(read('<p>a <span style="display:none">b</span> c <i style="opacity:0">d</i> e</p>')).toBe("a c e");
  });

  test("drops comments, scripts, styles, templates and form fields", () => {
    const html =
      "<p>a<!-- b --></p><script>c</script><style>d</style><template><p>e</p></template><textarea>f</textarea><select><option>g</option></select><iframe>h</iframe><noframes>i</noframes><svg><text>j</text></svg><p>k</p>";
    expect(read(html)).toBe("a | k");
  });
});
