import type { PreviewReply, Previews } from "../../workspace/preview.ts";
import type { Head } from "../guard.ts";

/** A page that runs somewhere without rights asks here, and nowhere else. */
export const isPreview = (path: string): boolean => path.startsWith("/preview/");

type Asked = { readonly method: string; readonly head: Head };

/** The addresses of previews. No credential of ours counts here: the token in the address is all there is. */
export const createPreviewHandler =
  (serve: Previews["serve"]) =>
  async ({ method, head }: Asked): Promise<PreviewReply> => {
    if (method === "OPTIONS") return allowed;
    if (method !== "GET" && method !== "HEAD") return refused;
    const [, token = "", path = ""] = /^\/preview\/([^/]*)\/?(.*)$/s.exec(head.path) ?? [];
    const host = head.header("host")?.toLowerCase() ?? "";
    return serve({ token, path: decode(path), host, destination: head.header("sec-fetch-dest") });
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
  body: "There is no server behind a preview: its files can be read, and nothing else.",
};

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
