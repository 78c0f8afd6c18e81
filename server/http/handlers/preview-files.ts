import type { Authentication } from "../../auth/authenticate.ts";
import type { PreviewReply, Previews } from "../../workspace/preview.ts";
import type { RequestHead } from "../guard.ts";

/** Paths of workspace previews, which run without any rights. */
export const isPreview = (path: string): boolean => path.startsWith("/preview/");

type PreviewRequest = { readonly method: string; readonly head: RequestHead };

/** Serves preview files. Access depends on the token in the path, and ends with the session or key that opened the preview. */
export const createPreviewHandler =
  (serve: Previews["serve"], findEnded: Authentication["findEnded"]) =>
  async ({ method, head }: PreviewRequest): Promise<PreviewReply> => {
    if (method === "OPTIONS") return allowed;
    if (method !== "GET" && method !== "HEAD") return refused;
    const [, token = "", path = ""] = /^\/preview\/([^/]*)\/?(.*)$/s.exec(head.path) ?? [];
    const host = head.header("host")?.toLowerCase() ?? "";
    return serve({ token, path: decode(path), host, destination: head.header("sec-fetch-dest"), findEnded });
  };

const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "*",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
} as const;

const allowed: PreviewReply = { status: 200, headers: cors, body: "" };
const refused: PreviewReply = {
  status: 405,
  headers: { ...cors, "content-type": "text/plain; charset=utf-8" },
  body: "A preview has no server. Only GET and HEAD requests for its files are supported.",
};

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
