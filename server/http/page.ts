import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { ApiError } from "../../protocol/errors.ts";
import { securityHeaders, type Reply } from "./reply.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};
const view =
  /^\/(t\/[\w-]{1,128}|s\/[\w-]{43}|p\/[\w-]{1,128}(\/[a-z]{1,40})?|settings(\/[a-z]{1,40})?|search|setup|invite|reset|email)?$/;
const compressible = /^(text|application|image\/svg)/;
type Encoding = "br" | "gzip" | "identity";
type Bytes = Uint8Array<ArrayBuffer>;

/** By encoding and path; shared by all servers of the process, because compressing takes longer than starting one. */
const cache = new Map<string, Promise<Bytes>>();

/**
 * Serves the built page. `/`, `/t/ID`, `/s/TOKEN`, `/p/ID/TAB`, `/settings/SECTION`, `/search`, `/setup`, `/invite`, `/reset` and
 * `/email` return its single document; other paths are files of the folder. File names under `/assets/` contain a content hash, so these files are compressed once,
 * cached in memory, and cached by browsers permanently. Other files are revalidated.
 */
export function createPage(folder: string): (path: string, acceptEncoding: string) => Promise<Reply> {
  /** Requests for the same file at the same time share one read and one body. */
  const load = (file: string, encoding: Encoding, isHashed: boolean): Promise<Bytes> => {
    const key = `${encoding} ${join(folder, file)}`;
    const known = cache.get(key);
    if (known) return known;
    const body = read(folder, file).then((bytes) => encode(bytes, encoding));
    cache.set(key, body);
    const forget = (): void => void cache.delete(key);
    body.then(isHashed ? () => {} : forget, forget);
    return body;
  };

  return async (path, acceptEncoding) => {
    const file = view.test(path) ? "/index.html" : path;
    // Plain names only: no leading dot, no escapes, no empty segments, so no path leads outside the folder.
    if (!/^(\/[\w-][\w.-]*)+$/.test(file)) throw notFound();
    const type = types[extname(file)] ?? "application/octet-stream";
    const isHashed = file.startsWith("/assets/");
    const encoding = isHashed && compressible.test(type) ? choose(acceptEncoding) : "identity";
    const body = await load(file, encoding, isHashed);
    return {
      status: 200,
      headers: {
        ...securityHeaders,
        "content-type": type,
        "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
        vary: "accept-encoding",
        ...(encoding === "identity" ? {} : { "content-encoding": encoding }),
      },
      body,
    };
  };
}

async function read(folder: string, file: string): Promise<Bytes> {
  try {
    return await readFile(join(folder, file));
  } catch {
    if (file !== "/index.html") throw notFound();
    throw new ApiError("unavailable", "The page has not been built. Run `npm run build`.");
  }
}

const choose = (accepted: string): Encoding =>
  /\bbr\b/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : "identity";

async function encode(bytes: Bytes, encoding: Encoding): Promise<Bytes> {
  if (encoding === "identity") return bytes;
  if (encoding === "gzip") return promisify(gzip)(bytes);
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
}

const notFound = (): ApiError => new ApiError("not-found", "Page not found.");
