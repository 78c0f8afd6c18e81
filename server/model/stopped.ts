import type { ModelFailure } from "../../protocol/model.ts";
import { say, sentence } from "../../protocol/sentences.ts";

/** The failure of a call that was aborted: by the user, by a shutdown, or because its reader left. */
export const stopped: ModelFailure = {
  code: "cut",
  fault: "provider",
  ...say(sentence("answer-stopped")),
};
