import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { writeNotices } from "./scripts/setup/notices.ts";

const toPath = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const api = "http://127.0.0.1:3737";

/** Files of the built page and the modules from which they start; a module is in the first file that needs it. */
const bundles = {
  main: "./web/main.ts",
  start: "./web/shell/start.tsx",
  thread: "./web/thread/conversation.tsx",
} as const;
const bundleOf = new Map<string, string>([["\0vite/preload-helper.js", "main"]]);

/** The icons that a module imports, by the names under which the library exports them. */
const listIcons = (code: string): readonly string[] =>
  [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim().split(" ")[0] ?? ""),
  );

/**
 * Puts the modules of the first screen and of a thread into few files instead of many small ones, since each request delays
 * them. Icons are chosen by name, because every module that imports one imports the library's whole index.
 */
const bundleFirst: Plugin = {
  name: "bundle-first",
  async buildEnd() {
    const icons = new Map<string, string>();
    const isIcon = (id: string): boolean => id.includes("/lucide-react/dist/esm/icons/");
    const visit = (id: string, bundle: string): void => {
      if (bundleOf.has(id) || isIcon(id)) return;
      bundleOf.set(id, bundle);
      const found = this.getModuleInfo(id);
      for (const name of listIcons(found?.code ?? "")) if (!icons.has(name)) icons.set(name, bundle);
      for (const next of found?.importedIds ?? []) visit(next, bundle);
    };
    for (const [bundle, file] of Object.entries(bundles)) visit(toPath(file), bundle);
    const index = [...bundleOf.keys()].find((id) => id.includes("/lucide-react/dist/esm/lucide-react."));
    const lines = (index && this.getModuleInfo(index)?.code) || "";
    for (const [, names = "", file = ""] of lines.matchAll(/export \{([^}]*)\} from ['"](\.\/icons\/[^'"]+)/g)) {
      const users = names.split(",").flatMap((name) => icons.get(name.split(" as ")[1]?.trim() ?? "") ?? []);
      const bundle = Object.keys(bundles).find((one) => users.includes(one));
      const icon = bundle && (await this.resolve(file, index));
      if (icon) bundleOf.set(icon.id, bundle);
    }
  },
};

/** Fetches the first screen together with the entry file, although it runs only when the language is known. */
const preloadFirst: Plugin = {
  name: "preload-first",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const file = Object.keys(bundle).find((name) => /^assets\/start-[\w-]+\.js$/.test(name));
      const attrs = { rel: "modulepreload", crossorigin: "", href: `/${file}` };
      return file === undefined ? [] : [{ tag: "link", attrs, injectTo: "head" }];
    },
  },
};

/** Chromium compiles all functions of a file with this comment on another thread while it is fetched; others ignore it. */
const compileFirst: Plugin = {
  name: "compile-first",
  generateBundle: {
    order: "post",
    handler: (_options, bundle) => {
      for (const one of Object.values(bundle)) {
        if (one.type !== "chunk" || (one.name !== "main" && one.name !== "start")) continue;
        one.code = `//# allFunctionsCalledOnLoad\n${one.code}`;
      }
    },
  },
};

/** The license of elkjs is not compatible with ours. Diagrams that ask for its layouts get the default one. */
const withoutElk: Plugin = {
  name: "without-elk",
  enforce: "pre",
  resolveId(source, importer = "") {
    if (!/\/elk-\w+\.mjs$/.test(source) || !importer.includes("/node_modules/mermaid/")) return null;
    const dagre = readdirSync(dirname(importer)).find((name) => /^dagre-\w+\.mjs$/.test(name));
    return dagre ? this.resolve(`./${dagre}`, importer) : null;
  },
};

/** Writes the licenses of all packages in the page. */
const thirdPartyNotices: Plugin = {
  name: "third-party-notices",
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((one) => (one.type === "chunk" ? one.moduleIds : []));
    this.emitFile({ type: "asset", fileName: "third-party-notices.txt", source: writeNotices(modules) });
  },
};

/** Files of `web/public` that the page needs to start. */
const shellFiles = ["/theme.js", "/bird.svg", "/manifest.webmanifest"];
/** Modules whose files are cached when they are used: languages, and what draws diagrams, formulas and code. */
const lateModules =
  /\/web\/(?:languages\/(?:\w+\/)?\w\w\.ts|markdown\/(?:draw-diagram|draw-formula|highlight)|workspace\/(?:editor\/|color-lines))/;

/** Builds the service worker with the list of files that it caches. */
const serviceWorker: Plugin = {
  name: "service-worker",
  apply: "build",
  buildStart() {
    this.emitFile({
      type: "chunk",
      id: toPath("./web/worker/page-worker.ts"),
      fileName: "service-worker.js",
    });
  },
  generateBundle: {
    order: "post",
    handler: (_options, bundle) => {
      const worker = bundle["service-worker.js"];
      const entry = Object.keys(bundle).find((name) => /^assets\/main-[\w-]+\.js$/.test(name));
      if (worker?.type !== "chunk" || entry === undefined) throw new Error("The service worker was not built.");
      if (worker.imports.length > 0) throw new Error("The service worker must be one file.");
      const isOurs = (id: string): boolean => id.startsWith(toPath("./web/")) || id.startsWith(toPath("./protocol/"));
      const names = new Set<string>();
      const add = (name: string): void => {
        const one = bundle[name];
        if (one?.type !== "chunk" || names.has(name)) return;
        names.add(name);
        for (const css of one.viteMetadata?.importedCss ?? []) names.add(css);
        one.imports.forEach(add);
      };
      for (const [name, one] of Object.entries(bundle)) {
        if (one.type !== "chunk" || one === worker || !one.moduleIds.some(isOurs)) continue;
        if (!one.moduleIds.some((id) => lateModules.test(id)) || bundleOf.has(one.moduleIds[0] ?? "")) add(name);
      }
      const assets = [...names].map((name) => `/${name}`).toSorted();
      const contents = shellFiles.map((file) => readFileSync(toPath(`./web/public${file}`), "utf8"));
      const version = createHash("sha256")
        .update(JSON.stringify([worker.code, assets, contents, entry]))
        .digest("hex");
      const shell = { version: version.slice(0, 12), entry: `/${entry}`, assets, files: shellFiles };
      worker.code = worker.code.replace("__SHELL__", () => JSON.stringify(shell));
    },
  },
};

/** Builds the page. `npm run dev` proxies API requests to a running server. Tests are configured in vitest.config.ts. */
export default defineConfig({
  root: "web",
  plugins: [react(), tailwind(), withoutElk, bundleFirst, preloadFirst, compileFirst, serviceWorker, thirdPartyNotices],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    rolldownOptions: {
      output: {
        // Even if later chunks share modules with them.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: (id: string) => bundleOf.get(id) ?? null }],
        },
      },
    },
  },
  server: {
    // Not the page's files under web/api, which have a dot. The server rejects other hosts and origins than its own.
    proxy: { "^/api/[^.?]*(\\?|$)": { target: api, changeOrigin: true, headers: { origin: api } } },
  },
});
