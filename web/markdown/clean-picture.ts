/**
 * An SVG with nothing left in it but shapes, letters and their style: no script, no foreign content, no links, and no address
 * that is not in the picture itself. It is parsed into a document that is never shown, and written out again from what is allowed.
 */
const shapes = new Set(
  (
    "svg g path rect circle ellipse line polyline polygon text tspan textPath defs marker style title desc clipPath mask " +
    "linearGradient radialGradient stop pattern use symbol filter feGaussianBlur feOffset feMerge feMergeNode feDropShadow " +
    "feFlood feComposite feColorMatrix feComponentTransfer feFuncA switch"
  ).split(" "),
);
const svgSpace = "http://www.w3.org/2000/svg";

export function cleanPicture(markup: string): string | null {
  const parsed = new DOMParser().parseFromString(markup, "text/html");
  const root = parsed.querySelector("svg");
  if (!root || root.namespaceURI !== svgSpace) return null;
  clean(root);
  giveSize(root);
  return new XMLSerializer().serializeToString(root);
}

function clean(element: Element): void {
  for (const { name, value } of [...element.attributes])
    if (!isAllowed(name.toLowerCase(), value)) element.removeAttribute(name);
  if (element.localName === "style") {
    const text = element.textContent ?? "";
    element.textContent = isSafeStyle(text) ? text : "";
  }
  for (const child of [...element.children]) {
    if (child.localName === "a") {
      clean(child);
      child.replaceWith(...child.childNodes);
    } else if (child.namespaceURI !== svgSpace || !shapes.has(child.localName)) child.remove();
    else clean(child);
  }
}

function isAllowed(name: string, value: string): boolean {
  if (name.startsWith("on") || name === "src") return false;
  if (name === "href" || name === "xlink:href") return value.startsWith("#");
  return isSafeStyle(value);
}

/** Nothing but places in the picture itself: escapes could hide an address, so there are none. */
const isSafeStyle = (text: string): boolean =>
  !/@import|expression\(|\\|javascript:|image-set\(/i.test(text) && !/url\(\s*(?!["']?#)/i.test(text);

/** As an image it has no page to take its width from. */
function giveSize(root: SVGElement): void {
  const [, , width, height] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  if (!width || !height) return;
  root.setAttribute("width", `${Math.ceil(width)}`);
  root.setAttribute("height", `${Math.ceil(height)}`);
  root.removeAttribute("style");
}
