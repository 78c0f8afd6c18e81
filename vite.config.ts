import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const toPath = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const api = "http://127.0.0.1:3737";

/** The page only. Tests have a config of their own; `npm run dev` sends the API to a server started beside it. */
export default defineConfig({
  root: "web",
  plugins: [react(), tailwind()],
  resolve: {
    alias: {
      "rehype-raw": toPath("./web/markdown/no-raw-html.ts"),
      "tailwind-merge": toPath("./web/markdown/no-class-merge.ts"),
    },
  },
  build: {
    outDir: "../dist/web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
  },
  server: {
    // Not the page's own files under web/api, which have a dot. The server refuses other names and origins than its own.
    proxy: { "^/api/[^.?]*(\\?|$)": { target: api, changeOrigin: true, headers: { origin: api } } },
  },
});
