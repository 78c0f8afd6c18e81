/** Files that people attach, and their contents by hash: the same content is kept once a person. */
export type AttachmentTables = {
  attachments: {
    owner: string;
    id: string;
    /** Empty: for the thread that is not there yet. */
    thread: string;
    /** 1 from the moment that a message names it. */
    sent: number;
    hash: string;
    name: string;
    media_type: string;
    kind: "image" | "text";
    size_bytes: number;
    width: number | null;
    height: number | null;
    /** What was read from it; empty for pictures. */
    text: string;
    created_at: number;
    /** Place among the files that wait in this thread, unique there, so that no more than the limit can wait; null: sent. */
    slot: number | null;
  };
  attachment_blobs: { owner: string; hash: string };
  /** Pieces of a content in base64, which put together are valid base64. They go with their blob. */
  attachment_pieces: { owner: string; hash: string; n: number; body: string };
};
