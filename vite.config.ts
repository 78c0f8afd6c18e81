import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const toPath = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const api = "http://127.0.0.1:3737";

const first = new Set<string>();

/** `Trash2` and `FolderKanban` are `trash-2` and `folder-kanban`. */
const listIcons = (code: string): readonly string[] =>
  [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g)].flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) =>
        (name.trim().split(" ")[0] ?? "").replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[a-zA-Z])(?=\d)/g, "-").toLowerCase(),
      ),
  );

/** Finds the modules and icons that the first screen needs, so that they become one file instead of many small ones. */
const findFirst: Plugin = {
  name: "find-first",
  buildEnd() {
    const icons = new Set<string>();
    const visit = (id: string): void => {
      if (first.has(id) || id.includes("node_modules")) return;
      first.add(id);
      const found = this.getModuleInfo(id);
      for (const icon of listIcons(found?.code ?? "")) icons.add(icon);
      for (const next of found?.importedIds ?? []) visit(next);
    };
    visit(toPath("./web/shell/start.tsx"));
    // The entry file sets the language before it loads the first screen, whose modules read strings when they are evaluated.
    const ofEntry = (id: string): boolean => id.endsWith("/strings/language.ts") || id.includes("vite/preload-helper");
    for (const id of [...first].filter(ofEntry)) first.delete(id);
    for (const id of this.getModuleIds()) {
      // Not the icon factory: chunks that need it would then wait for the first file.
      const [, icon] = /lucide-react\/dist\/esm\/icons\/([\w-]+)\.m?js$/.exec(id) ?? [];
      if (icon !== undefined && icons.has(icon)) first.add(id);
    }
  },
};

/** Fetches the first screen together with the entry file, although it runs only when the language is known. */
const preloadFirst: Plugin = {
  name: "preload-first",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
      const files = new Set<string>();
      const visit = (file: string): void => {
        if (files.has(file)) return;
        files.add(file);
        for (const next of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) visit(next);
      };
      const entry = chunks.find(({ isEntry }) => isEntry);
      for (const file of entry?.dynamicImports ?? []) {
        const chunk = chunks.find(({ fileName }) => fileName === file);
        if (!chunk?.facadeModuleId?.includes("/web/languages/")) visit(file);
      }
      for (const file of entry?.imports ?? []) files.delete(file);
      return [...files].map((file) => ({
        tag: "link",
        attrs: { rel: "modulepreload", crossorigin: "", href: `/${file}` },
        injectTo: "head",
      }));
    },
  },
};

/** Builds the page. `npm run dev` proxies API requests to a running server. Tests are configured in vitest.config.ts. */
export default defineConfig({
  root: "web",
  plugins: [react(), tailwind(), findFirst, preloadFirst],
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    rolldownOptions: {
      output: {
        // The first screen is one file, even if later chunks share modules with it.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ name: (id: string) => (first.has(id) ? "start" : null) }],
        },
      },
    },
  },
  server: {
    // Not the page's files under web/api, which have a dot. The server rejects other hosts and origins than its own.
    proxy: { "^/api/[^.?]*(\\?|$)": { target: api, changeOrigin: true, headers: { origin: api } } },
  },
});
