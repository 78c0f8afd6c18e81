import { define } from "./language.ts";
/** Errors that can happen anywhere. */
export const errors = define("errors", {
  unreachable: "The server cannot be reached.",
  notSent: "The server cannot be reached. Nothing was sent.",
  uploadFailed: "The file could not be uploaded. Try again.",
  uploadCanceled: "The upload was canceled.",
  /** By the code of an `ApiError`, for pages that are not in English; English pages show the server's own message. */
  byCode: {
    invalid: "This cannot be accepted. Check what you entered.",
    unauthenticated: "You are not signed in.",
    forbidden: "You are not allowed to do this.",
    "not-found": "This was not found. It may have been deleted.",
    conflict: "This does not fit the current state. Reload the page and try again.",
    "too-large": "This is more than is allowed.",
    unsupported: "This is not supported.",
    misdirected: "The server cannot be used under this address.",
    unconfirmed: "Confirm that it is you, and try again.",
    busy: "The server is busy with other requests. Try again in a moment.",
    bug: "Something went wrong on the server.",
    "storage-damaged": "The server cannot read a part of its database.",
    unavailable: "This is not available right now.",
    "storage-full": "The server's disk is full.",
  },
  withDetail: (sentence: string, detail: string) => `${sentence} The server says: “${detail}”`,
});
