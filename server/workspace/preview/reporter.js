/**
 * Runs first in every page of a preview and reports console messages, errors and network requests to the surrounding page, each
 * with its location in the workspace.
 */
(() => {
  const { root = "/", seq = "0", page = "index.html" } = document.currentScript?.dataset ?? {};
  document.currentScript?.remove();
  const home = window.parent === window ? null : window.parent;
  const here = location.origin;
  const base = here + root;
  const later = window.setTimeout.bind(window);
  const mostCharacters = 4000;
  const mostAtOnce = 100;

  /** @type {{ kind: string, level: string, text: string, place: string | null }[]} */
  let waiting = [];
  let left = 0;
  let isDue = false;

  const flush = (loaded = false) => {
    isDue = false;
    if (waiting.length === 0 && !loaded) return;
    const logs = waiting;
    if (left > 0) logs.push(toLog("console", "warn", `${left} more messages were left out.`, null));
    waiting = [];
    left = 0;
    home?.postMessage({ type: "stonechat-preview", seq: Number(seq), loaded, logs }, here);
  };

  const toLog = (kind, level, text, place) => ({ kind, level, text: text.slice(0, mostCharacters), place });

  const tell = (kind, level, text, place = null) => {
    if (waiting.length >= mostAtOnce - 1) left += 1;
    else waiting.push(toLog(kind, level, text, place));
    if (isDue) return;
    isDue = true;
    later(flush, 150);
  };

  /** Locations: mapped for compiled modules, unchanged for other files of the workspace. */
  const tables = new Map();
  const toPlace = (address, line, column) => {
    if (!address.startsWith(base)) return null;
    const path = decodeURIComponent(address.slice(base.length).replace(/[?#].*$/s, ""));
    if (path === "-/reporter.js") return null;
    const table = tables.get(address);
    if (!table)
      return path.startsWith("-/") ? null : `${path === "" || path.endsWith("/") ? page : path}:${line}:${column}`;
    const found = (table.lines[line - 1] ?? []).findLast(([at]) => at <= column - 1) ?? table.lines[line - 1]?.[0];
    if (!found) return null;
    return `${table.sources[found[1]].replace(/#\d+$/, "")}:${found[2] + 1}:${found[3] + 1}`;
  };

  const frame = /^\s*(?:at )?(?:(.*?) ?[(@])?(https?:\/\/.*?):(\d+):(\d+)\)?$/;
  const toFrames = (stack) =>
    String(stack ?? "")
      .split("\n")
      .flatMap((line) => {
        const [, name = "", address, row, column] = frame.exec(line) ?? [];
        const place = address === undefined ? null : toPlace(address, Number(row), Number(column));
        return place === null ? [] : [{ name: name.replace(/^async /, ""), place }];
      });

  const tellError = (error, level = "error") => {
    const frames = toFrames(error.stack);
    const lines = frames.slice(0, 8).map(({ name, place }) => `\n    at ${name ? `${name} (${place})` : place}`);
    const cause = error.cause instanceof Error ? `\n  because of ${error.cause.name}: ${error.cause.message}` : "";
    return { level, text: `${error.name}: ${error.message}${lines.join("")}${cause}`, place: frames[0]?.place ?? null };
  };

  const show = (value, depth = 0) => {
    if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
    if (typeof value === "function") return `function ${value.name || "(anonymous)"}`;
    if (typeof value !== "object" || value === null) return String(value);
    if (value instanceof Error) return tellError(value).text;
    if (value instanceof Element) return value.outerHTML.slice(0, 300);
    try {
      const seen = new Set();
      const text = JSON.stringify(value, (_, inner) => {
        if (typeof inner === "bigint") return `${inner}n`;
        if (typeof inner === "function") return `function ${inner.name}`;
        if (typeof inner !== "object" || inner === null) return inner;
        if (seen.has(inner)) return "(seen above)";
        seen.add(inner);
        if (inner instanceof Map) return { Map: [...inner] };
        if (inner instanceof Set) return { Set: [...inner] };
        return inner;
      });
      return text ?? String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  };

  const format = (values) => {
    const [first, ...rest] = values;
    if (typeof first !== "string" || !/%[sdifoOcj]/.test(first)) return values.map((value) => show(value)).join(" ");
    const text = first.replace(/%([sdifoOcj%])/g, (sign, kind) => {
      if (kind === "%") return "%";
      if (rest.length === 0) return sign;
      const value = rest.shift();
      return kind === "c" ? "" : show(value);
    });
    return [text, ...rest.map((value) => show(value))].join(" ");
  };

  for (const level of ["log", "info", "warn", "error", "debug"]) {
    const plain = console[level].bind(console);
    console[level] = (...values) => {
      plain(...values);
      const error = values.find((value) => value instanceof Error);
      const frames = toFrames((error ?? new Error("here")).stack);
      tell("console", level, format(values), frames[0]?.place ?? null);
    };
  }
  const assert = console.assert.bind(console);
  console.assert = (fits, ...values) => {
    assert(fits, ...values);
    if (!fits)
      tell("console", "error", `Assertion failed: ${format(values)}`, toFrames(new Error("here").stack)[0]?.place);
  };

  addEventListener(
    "error",
    (event) => {
      if (event instanceof ErrorEvent) {
        const place = event.filename ? toPlace(event.filename, event.lineno, event.colno) : null;
        const told = event.error instanceof Error ? tellError(event.error) : { text: event.message, place };
        return tell("console", "error", `Uncaught ${told.text}`, told.place ?? place);
      }
      const element = event.target;
      if (!(element instanceof Element)) return;
      const address = element.getAttribute("src") ?? element.getAttribute("href") ?? "";
      tell("network", "error", `GET ${shorten(toUrl(address))} failed (${element.localName})${hint(toUrl(address))}`);
    },
    true,
  );
  addEventListener("unhandledrejection", ({ reason }) => {
    const told = reason instanceof Error ? tellError(reason) : { text: show(reason), place: null };
    tell("console", "error", `Uncaught (in promise) ${told.text}`, told.place);
  });

  /** Requests outside the workspace are blocked by the browser. */
  const toUrl = (address) => {
    try {
      return new URL(address, document.baseURI).href;
    } catch {
      return String(address);
    }
  };
  const shorten = (url) => (url.startsWith(base) ? url.slice(base.length) || "/" : url).slice(0, 500);
  const isOutside = (url) => !url.startsWith(base) && !/^(data|blob):/.test(url);
  const hint = (url) => {
    if (!isOutside(url)) return "";
    if (url.startsWith(here)) return ": blocked, paths are relative to the workspace; remove the leading slash";
    return ": blocked, a preview can only load files of its workspace";
  };

  const asked = new Set();
  const fetchPlainly = window.fetch.bind(window);
  window.fetch = async (input, options) => {
    const url = toUrl(input instanceof Request ? input.url : input);
    const method = (options?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
    asked.add(url);
    try {
      const answer = await fetchPlainly(input, options);
      tell("network", answer.ok ? "ok" : "error", `${method} ${shorten(url)} ${answer.status}`);
      return answer;
    } catch (error) {
      if (error?.name !== "AbortError")
        tell("network", "error", `${method} ${shorten(url)} failed${hint(url) || `: ${error?.message}`}`);
      throw error;
    }
  };

  const { open, send } = XMLHttpRequest.prototype;
  const sent = new WeakMap();
  XMLHttpRequest.prototype.open = function (method, address, ...rest) {
    sent.set(this, { method: String(method).toUpperCase(), url: toUrl(address) });
    return open.call(this, method, address, ...(rest.length === 0 ? [true] : rest));
  };
  XMLHttpRequest.prototype.send = function (body) {
    const { method, url } = sent.get(this) ?? { method: "GET", url: "" };
    asked.add(url);
    this.addEventListener("loadend", () => {
      if (this.status === 0) tell("network", "error", `${method} ${shorten(url)} failed${hint(url)}`);
      else tell("network", this.status < 400 ? "ok" : "error", `${method} ${shorten(url)} ${this.status}`);
    });
    return send.call(this, body);
  };

  addEventListener(
    "securitypolicyviolation",
    ({ effectiveDirective, blockedURI, sourceFile, lineNumber, columnNumber }) => {
      if (asked.has(blockedURI)) return;
      const place = sourceFile ? toPlace(sourceFile, lineNumber, columnNumber) : null;
      const what = `${effectiveDirective} ${shorten(blockedURI)}`;
      tell("network", "error", `Blocked by the preview (${what})${hint(toUrl(blockedURI))}`, place);
    },
  );

  /** Following an external link would leave an empty frame. */
  addEventListener(
    "click",
    (event) => {
      const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement && one.href !== "");
      if (!link || !/^https?:/.test(link.href) || link.href.startsWith(base)) return;
      event.preventDefault();
      tell("console", "warn", `The link to ${link.href.slice(0, 500)} leads out of the preview and is not followed.`);
    },
    true,
  );

  /** An opaque origin has no storage, so data is kept in memory until the next load. */
  const createStorage = () => {
    const kept = new Map();
    return {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => void kept.set(String(key), String(value)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
      key: (index) => [...kept.keys()][index] ?? null,
      get length() {
        return kept.size;
      },
    };
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      void window[name];
    } catch {
      Object.defineProperty(window, name, { configurable: true, value: createStorage() });
    }
  }

  /** Blocks network APIs that the CSP may not cover. */
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) {
    if (name in window) Object.defineProperty(window, name, { configurable: false, value: undefined });
  }

  const boxStyle =
    "position:fixed;inset:0;z-index:2147483647;overflow:auto;margin:0;padding:24px;background:#1b1013;color:#f6d9dc;" +
    "font:14px/1.5 ui-monospace,monospace;white-space:pre-wrap";
  const showProblems = (problems) => {
    const box = Object.assign(document.createElement("pre"), { id: "stonechat-problems" });
    box.setAttribute("role", "alert");
    box.setAttribute("style", boxStyle);
    const parts = problems.map(({ text, place, line }) => [place ?? "", text, line].filter(Boolean).join("\n"));
    box.textContent = `This page cannot be compiled.\n\n${parts.join("\n\n")}`;
    (document.body ?? document.documentElement).append(box);
  };

  Object.defineProperty(window, "__preview", {
    value: Object.freeze({
      places: (address, table) => void tables.set(address, table),
      warn: (problems) => problems.forEach(({ text, place }) => tell("console", "warn", text, place)),
      fail: (problems) => {
        for (const { text, place } of problems) tell("console", "error", `Cannot be compiled: ${text}`, place);
        if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => showProblems(problems));
        else showProblems(problems);
      },
    }),
  });
  addEventListener("load", () => later(() => flush(true), 50));
  addEventListener("pagehide", () => flush());
})();
