import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = process.env.STONECHAT_URL ?? "http://127.0.0.1:3737";

// The server accepts requests from pages of the same origin only, so the development server forwards them.
export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/api": { target: server, changeOrigin: true, headers: { origin: server } } } },
});
