import { escapeHtml } from "../../lib/escape-html.ts";

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.5rem;color:#334}" +
  "h1{font-size:1.15rem}code{background:#eef;padding:.1em .3em;border-radius:3px}" +
  "@media(prefers-color-scheme:dark){body{background:#15171c;color:#cdd3de}code{background:#262b36}}";

/** A page with text only. */
export const toNotice = (title: string, ...sentences: readonly string[]): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title><style>${style}</style>` +
  `<h1>${escapeHtml(title)}</h1>${sentences.map((text) => `<p>${toCode(escapeHtml(text))}</p>`).join("")}`;

const toCode = (text: string): string => text.replace(/`([^`]+)`/g, "<code>$1</code>");

/** The wrapper of a preview in a separate tab. */
export const toOuter = (address: string): string =>
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Preview</title>' +
  "<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>" +
  `<iframe title="Preview" sandbox="allow-scripts allow-forms allow-modals" src="${escapeHtml(address)}"></iframe>`;
