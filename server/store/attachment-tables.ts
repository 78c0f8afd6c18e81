/** Attached files, and their contents by hash. Each content is stored once per user. */
export type AttachmentTables = {
  attachments: {
    owner: string;
    id: string;
    /** Empty for a thread that does not exist yet. */
    thread: string;
    /** 1 once a message uses it. */
    sent: number;
    hash: string;
    name: string;
    media_type: string;
    kind: "image" | "text";
    size_bytes: number;
    width: number | null;
    height: number | null;
    /** The extracted text; empty for images. */
    text: string;
    created_at: number;
    /** Slot among the unsent files of the thread. It is unique, which enforces the limit. Null once sent. */
    slot: number | null;
  };
  attachment_blobs: { owner: string; hash: string };
  /** Content in base64 pieces that can be concatenated. Deleted with their blob. */
  attachment_pieces: { owner: string; hash: string; n: number; body: string };
};
