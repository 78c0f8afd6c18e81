import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Context, Hono } from "hono";
import { z } from "zod";
import { ProjectUploadQuery } from "../../../protocol/project/uploads.ts";
import { UploadQuery } from "../../../protocol/attachments.ts";
import { attachmentLimits, imageTypes } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { importLimits } from "../../../protocol/account/import-limits.ts";
import { ImportQuery } from "../../../protocol/account/imports.ts";
import { ClientId } from "../../../protocol/ids.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Attachments } from "../../thread/attachments/attachments.ts";
import type { Imports } from "../../transfer/import/imports.ts";
import type { ProjectUploads } from "../../thread/attachments/project-uploads.ts";
import type { Env, Identify } from "../api-routes.ts";
import { receiveFile } from "../body.ts";
import { createUploadSlots, type UploadLimits } from "../upload-slots.ts";
import { securityHeaders, toInvalid, toJson, toResponse } from "../reply.ts";

export type AttachmentStore = Pick<Attachments, "assertFreeSlot" | "add" | "open" | "openPage">;

type Options = {
  readonly attachments: AttachmentStore;
  readonly projectUploads: ProjectUploads;
  readonly imports: ImportUploads;
  readonly identify: Identify;
  readonly bodyTimeoutMs: number;
  /** Folder for uploads in progress. */
  readonly uploadsDir: string;
  readonly limits: UploadLimits;
  /** Throws if the user may not store this many more bytes. Default: no limit. */
  readonly assertRoom?: AssertRoom | undefined;
};

export type AssertRoom = (userId: string, addedBytes: number) => Promise<void>;

export type ImportUploads = Pick<Imports, "assertFree" | "add">;

type Receiver = {
  /** Largest size in bytes, and how long it may take, if not the usual ones. */
  readonly most?: number;
  readonly timeoutMs?: number;
  readonly check: () => Promise<void>;
  readonly add: (file: { readonly path: string; readonly sizeBytes: number; readonly hash: string }) => Promise<object>;
};

/** Upload and download of attachments, and uploads to projects. Bodies are raw files; all other routes are in the route table. */
export function addAttachmentRoutes(app: Hono<Env>, options: Options): void {
  const { attachments, projectUploads, imports, identify, uploadsDir, assertRoom } = options;
  const receive = createReceiver(options);
  const viewSlots = createUploadSlots(VIEW_LIMITS);
  app.post("/api/attachments", async (context) => {
    const principal = await identify(context, "chat");
    const query = UploadQuery.safeParse(Object.fromEntries(new URL(context.req.url).searchParams));
    if (!query.success) throw toInvalid("query", query.error);
    const { name, threadId } = query.data;
    return receive(context, principal, {
      check: () => attachments.assertFreeSlot(principal, threadId),
      add: (file) => attachments.add(principal, { name, threadId, file }),
    });
  });

  app.post("/api/projects/:projectId/uploads", async (context) => {
    const principal = await identify(context, "projects");
    const id = ClientId.safeParse(context.req.param("projectId"));
    if (!id.success) throw new ApiError("not-found", "Not found.");
    const query = ProjectUploadQuery.safeParse(Object.fromEntries(new URL(context.req.url).searchParams));
    if (!query.success) throw toInvalid("query", query.error);
    return receive(context, principal, {
      check: () => projectUploads.assertProject(principal, id.data),
      add: (file) => projectUploads.add(principal, { projectId: id.data, ...query.data, file }),
    });
  });

  app.post("/api/imports", async (context) => {
    const principal = await identify(context, "admin");
    const query = ImportQuery.safeParse(Object.fromEntries(new URL(context.req.url).searchParams));
    if (!query.success) throw toInvalid("query", query.error);
    return receive(context, principal, {
      check: () => imports.assertFree(principal),
      add: async (file) => {
        await assertRoom?.(principal.userId, file.sizeBytes);
        return imports.add(principal, query.data.name, file);
      },
      most: importLimits.fileBytes,
      timeoutMs: IMPORT_TIMEOUT_MS,
    });
  });

  app.get("/api/attachments/:attachmentId/pages/:page", async (context) => {
    const principal = await identify(context, "read");
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
    const principal = await identify(context, "read");
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

/** Receives bodies into files. Each is deleted when it was added. */
function createReceiver({ bodyTimeoutMs, uploadsDir, limits, assertRoom }: Options) {
  const slots = createUploadSlots(limits);
  return async (context: Context<Env>, principal: Principal, receiver: Receiver): Promise<Response> => {
    const { check, add, most = attachmentLimits.fileBytes, timeoutMs = bodyTimeoutMs } = receiver;
    const release = slots.acquire(principal.userId);
    const path = join(uploadsDir, context.get("requestId"));
    try {
      await check();
      // A full storage is reported before the body is read.
      await assertRoom?.(principal.userId, 0);
      const received = await receiveFile({
        request: context.req.raw,
        incoming: context.env?.incoming,
        timeoutMs,
        most,
        path,
      });
      return toResponse(toJson(201, await add({ path, ...received }), context.get("requestId")));
    } finally {
      release();
      await rm(path, { force: true });
    }
  };
}

/** A large export over a slow connection. */
const IMPORT_TIMEOUT_MS = 2 * 60 * 60_000;

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
