import { englishSentences } from "../../protocol/sentences.ts";
import { define } from "./language.ts";

/** Fixed sentences of the server, by their name. */
export const sentences = define("sentences", englishSentences);
