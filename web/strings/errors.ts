import { define } from "./language.ts";
/** Errors that can happen anywhere. The server's own messages are shown unchanged. */
export const errors = define("errors", {
  unreachable: "The server cannot be reached.",
  notSent: "The server cannot be reached. Nothing was sent.",
  uploadFailed: "The file could not be uploaded. Try again.",
  uploadCanceled: "The upload was canceled.",
});
