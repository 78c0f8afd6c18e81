import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Canary } from "../preview/attacks.ts";

/** Violations on a page by kind; all lists must stay empty. */
export type Violations = {
  /** A script in a payload ran. */
  readonly ran: string[];
  /** The CSP blocked something. */
  readonly blocked: string[];
  /** The DOM contained, at any time, an element that could run scripts or send requests. */
  readonly markup: string[];
  /** Requests to other origins. */
  readonly requests: string[];
};

export const createViolations = (): Violations => ({ ran: [], blocked: [], markup: [], requests: [] });

/** Records violations from the next load on, including elements that are removed again. */
export async function watch(page: Page, origin: string): Promise<Violations> {
  const seen = createViolations();
  const report = (kind: keyof Violations, what: string) => {
    if (!seen[kind].includes(what.slice(0, 300))) seen[kind].push(what.slice(0, 300));
  };
  await page.exposeFunction("reportHostile", report);
  await page.addInitScript(watchInside);
  page.on("dialog", (dialog) => {
    report("ran", dialog.message());
    void dialog.dismiss();
  });
  page.context().on("page", (opened) => report("requests", `a page: ${opened.url()}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url)) report("requests", url);
  });
  return seen;
}

/** Expects no violations, after enough round trips for requests to other sites to arrive. */
export async function expectQuiet(page: Page, seen: Violations, canary: Canary, where: string): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await page.evaluate("fetch('/healthz').then((answer) => answer.text())");
  expect(seen, where).toEqual(createViolations());
  expect([...canary.seen.paths], where).toEqual([]);
  expect(canary.seen, where).toMatchObject({ connections: 0, datagrams: 0 });
}

/** Opens all `details`, including nested ones. */
export async function unfold(page: Page): Promise<void> {
  const openAll = `(() => {
    const closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
    return closed.length;
  })()`;
  for (let turn = 0; turn < 6 && Number(await page.evaluate(openAll)) > 0; turn++) await settle(page);
}

/** Waits for two frames, so that earlier updates are rendered. */
export const settle = (page: Page): Promise<unknown> =>
  page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");

/** Waits until all marks are on the page: a test without rendered payloads would prove nothing. */
export async function seeMarks(page: Page, marks: readonly string[], where: string): Promise<void> {
  const missing = async () => {
    const text = String(await page.evaluate("document.body.textContent"));
    return marks.filter((mark) => !text.includes(mark));
  };
  await expect.poll(missing, { message: where }).toEqual([]);
}

const watchInside = `(() => {
  const report = (kind, what) => void window.reportHostile(kind, String(what));
  for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = (what) => report("ran", name + " " + what);
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) =>
    report("blocked", effectiveDirective + " " + blockedURI + " " + sample));
  const never = /^(script|iframe|frame|frameset|object|embed|base|meta|link|applet|portal|video|audio|source|track|animate|set|feimage|marquee|template|xmp)$/i;
  const addresses = new Set(["src", "srcset", "href", "xlink:href", "action", "formaction", "poster", "data", "background", "srcdoc", "ping"]);
  const isOwn = (value) => {
    try {
      const { origin, protocol } = new URL(value, location.href);
      return origin === location.origin || protocol === "blob:" || /^data:(image\\/(png|jpeg|gif|webp)|application\\/octet-stream)[;,]/.test(value);
    } catch {
      return false;
    }
  };
  const isLink = (value) => /^(https?|mailto):/i.test(value);
  const leaves = (css) => /@import|url\\(\\s*["']?(?!#|data:|blob:)/i.test(css);
  const judge = (element) => {
    if (never.test(element.localName)) return element.localName;
    for (const { name, value } of element.attributes) {
      if (/^on/i.test(name)) return name;
      if (name === "style" && leaves(value)) return name;
      if (!addresses.has(name) || isOwn(value)) continue;
      // Diagrams are measured in an inert element, where links cannot be clicked.
      if (element.localName === "a" && element.closest("[inert]")) continue;
      const opensElsewhere = element.localName === "a" && name === "href" && isLink(value);
      if (!opensElsewhere || element.target !== "_blank" || !/noopener/.test(element.rel)) return name + " " + value;
    }
    return element.localName === "style" && leaves(element.textContent) ? "style" : null;
  };
  const look = (element) => {
    for (const one of [element, ...element.querySelectorAll("*")]) {
      const found = judge(one);
      if (found !== null) report("markup", found + ": " + one.outerHTML);
    }
  };
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (!document.body?.contains(target)) continue;
      if (type === "attributes") look(target);
      else for (const node of addedNodes) if (node.nodeType === 1 && node !== document.body) look(node);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
})()`;
