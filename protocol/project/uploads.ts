import { z } from "zod";

/**
 * Files that the user adds to a project. Uploaded to `POST /api/projects/:projectId/uploads?name=...&as=...` as
 * `application/octet-stream`. `document`: the text of any readable file becomes a document of the project. `file`: a text file or
 * a picture is stored unchanged among the project's files.
 */
export const ProjectUploadQuery = z
  .object({
    name: z.string().max(1000).default(""),
    as: z.enum(["document", "file"]).default("document"),
  })
  .strict();
export type ProjectUploadTarget = z.infer<typeof ProjectUploadQuery>["as"];

/** `id`: of the document; for a file its path. */
export const ProjectUpload = z.object({
  as: ProjectUploadQuery.shape.as.unwrap(),
  id: z.string(),
  name: z.string(),
  /** Number of documents. A long text is stored as several documents; the others are children of the first. */
  parts: z.number(),
});
export type ProjectUpload = z.infer<typeof ProjectUpload>;
