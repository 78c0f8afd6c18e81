import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { UploadQuery } from "../../../protocol/attachments.ts";
import { attachmentLimits, imageTypes } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { ClientId } from "../../../protocol/ids.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Attachments } from "../../thread/attachments/attachments.ts";
import { receiveFile } from "../body.ts";
import { createUploadSlots, type UploadLimits } from "../upload-slots.ts";
import { securityHeaders, toInvalid, toJson, toResponse } from "../reply.ts";

type Env = { Bindings: Partial<HttpBindings>; Variables: { requestId: string } };

export type AttachmentStore = Pick<Attachments, "assertFreeSlot" | "add" | "open" | "openPage">;

type Options = {
  readonly attachments: AttachmentStore;
  readonly identify: (context: Context<Env>) => Promise<Principal>;
  readonly bodyTimeoutMs: number;
  /** Folder for uploads in progress. */
  readonly uploadsDir: string;
  readonly limits: UploadLimits;
};

/** Upload and download of attachments. Their bodies are raw files; all other attachment routes are in the route table. */
export function addAttachmentRoutes(app: Hono<Env>, options: Options): void {
  const { attachments, identify, bodyTimeoutMs, uploadsDir } = options;
  const slots = createUploadSlots(options.limits);
  const viewSlots = createUploadSlots(VIEW_LIMITS);
  app.post("/api/attachments", async (context) => {
    const principal = await identify(context);
    const query = UploadQuery.safeParse(Object.fromEntries(new URL(context.req.url).searchParams));
    if (!query.success) throw toInvalid("query", query.error);
    const { name, threadId } = query.data;
    const release = slots.acquire(principal.userId);
    const path = join(uploadsDir, context.get("requestId"));
    try {
      await attachments.assertFreeSlot(principal, threadId);
      const received = await receiveFile({
        request: context.req.raw,
        incoming: context.env?.incoming,
        timeoutMs: bodyTimeoutMs,
        most: attachmentLimits.fileBytes,
        path,
      });
      const added = await attachments.add(principal, { name, threadId, file: { path, ...received } });
      return toResponse(toJson(201, added, context.get("requestId")));
    } finally {
      release();
      await rm(path, { force: true });
    }
  });

  app.get("/api/attachments/:attachmentId/pages/:page", async (context) => {
    const principal = await identify(context);
    const id = ClientId.safeParse(context.req.param("attachmentId"));
    const page = PageNumber.safeParse(context.req.param("page"));
    if (!id.success || !page.success) throw new ApiError("not-found", "Not found.");
    const release = viewSlots.acquire(principal.userId);
    const path = join(uploadsDir, context.get("requestId"));
    try {
      const bytes = await attachments.openPage(principal, id.data, page.data, path);
      return new Response(new Uint8Array(bytes), {
        headers: {
          ...securityHeaders,
          "content-security-policy": "default-src 'none'; sandbox",
          "content-type": "image/jpeg",
          "content-disposition": "inline",
          "cache-control": "private, no-store",
          "x-request-id": context.get("requestId"),
        },
      });
    } finally {
      release();
      await rm(path, { force: true });
    }
  });

  app.get("/api/attachments/:attachmentId/file", async (context) => {
    const principal = await identify(context);
    const id = ClientId.safeParse(context.req.param("attachmentId"));
    if (!id.success) throw new ApiError("not-found", "Not found.");
    const { name, kind, mediaType, sizeBytes, pieces } = await attachments.open(principal, id.data);
    const isShown = kind === "image" && (imageTypes as readonly string[]).includes(mediaType);
    return new Response(ReadableStream.from(pieces), {
      headers: {
        ...securityHeaders,
        // The content cannot run scripts, has no origin and can make no requests.
        "content-security-policy": "default-src 'none'; sandbox",
        "content-type": isShown ? mediaType : toInert(mediaType),
        "content-disposition": `${isShown ? "inline" : "attachment"}; ${toFileName(name)}`,
        "content-length": String(sizeBytes),
        "cache-control": "private, no-store",
        "x-request-id": context.get("requestId"),
      },
    });
  });
}

const PageNumber = z.coerce.number().int().min(1).max(10_000);
/** Pages that are drawn at the same time; the viewer asks again for those that were refused. */
const VIEW_LIMITS: UploadLimits = { perUser: 10, total: 40 };

/** Never served as HTML: markup is downloaded as plain text, and documents as bytes. */
const toInert = (mediaType: string): string => {
  if (mediaType === "application/pdf" || mediaType === "application/json") return mediaType;
  return mediaType.startsWith("text/") ? "text/plain; charset=utf-8" : "application/octet-stream";
};

const toFileName = (name: string): string => {
  const plain = name
    .normalize("NFKD")
    .replaceAll(/[^\w .()-]+/g, "_")
    .slice(0, 100);
  return `filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, toPercent)}`;
};

const toPercent = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
