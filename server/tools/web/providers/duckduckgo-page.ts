import { Parser } from "htmlparser2";
import { toSearchResults } from "./search-results.ts";
import type { SearchResult } from "./provider.ts";

type Row = { title: string; url: string; snippet: string; isAd: boolean };

/** Results are links of class `result__a`, each followed by its `result__snippet`; ads are skipped. */
export function readResultPage(html: string): { readonly results: readonly SearchResult[]; readonly isEmpty: boolean } {
  const rows: Row[] = [];
  let isAd = false;
  let isEmpty = false;
  let taking: "title" | "snippet" | undefined;
  const parser = new Parser({
    onopentag: (name, { class: className = "", href = "" }) => {
      const classes = className.split(/\s+/);
      if (classes.includes("result")) isAd = classes.includes("result--ad");
      if (classes.includes("no-results")) isEmpty = true;
      if (name === "a" && classes.includes("result__a")) {
        rows.push({ title: "", url: toTarget(href), snippet: "", isAd });
        taking = "title";
      } else if (classes.includes("result__snippet")) taking = "snippet";
    },
    ontext: (text) => {
      const row = rows.at(-1);
      if (row && taking) row[taking] += text;
    },
    onclosetag: (name) => {
      if (name === "a" || name === "div" || name === "td") taking = undefined;
    },
  });
  parser.end(html);
  const own = rows.filter((row) => !row.isAd && !/^https?:\/\/duckduckgo\.com\/y\.js/.test(row.url));
  return {
    results: own.length === 0 ? [] : toSearchResults(own, ({ title, url, snippet }) => ({ title, url, snippet })),
    isEmpty,
  };
}

/** Links go through a redirect that contains the target URL. */
function toTarget(href: string): string {
  const address = href.startsWith("//") ? `https:${href}` : href;
  if (!URL.canParse(address)) return "";
  const url = new URL(address);
  const isRedirect = /(^|\.)duckduckgo\.com$/.test(url.hostname) && url.pathname === "/l/";
  return isRedirect ? (url.searchParams.get("uddg") ?? "") : url.href;
}
