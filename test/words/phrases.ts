/** A phrase that makes readers stop, and what to write instead. CONTRIBUTING.md describes the voice. */
export type Phrase = { readonly pattern: RegExp; readonly instead: string };

const phrase = (pattern: RegExp, instead: string): Phrase => ({ pattern, instead });

/**
 * British spellings, also in names of files and in identifiers. *cancelled* and *labelled* are left out: they are stored or
 * belong to the platform (`aria-labelledby`). Translations and words that users type are exempt.
 */
export const british =
  /[a-z]*(?:colour|behaviour|neighbour|favourit|honour|catalogue|artefact|licence|defence|(?:author|summar|recogn|normal|organ|serial|initial|minim|maxim|categor|priorit|synchron|custom|util|capital|final|special|general)is(?:e|ed|es|er|ers|ing|ation|ations)(?![a-z])|optimis(?:e|ed|es|er|ing|ation)(?![a-z])|analys(?:e|ed|ing)(?![a-z])|modell(?:ed|ing)|centre(?![a-z]))[a-z]*/gi;

/** Not to be used in comments, in prose inside strings, in test titles or in documents. */
export const phrases: readonly Phrase[] = [
  phrase(
    /(?<=^|[.:;!?]\s)What (?:is|was|are|were|has|had|stands|comes|goes|holds|lies|may|can|must|a|the|it|they|one)\b(?![^.]*\?)/g,
    "name the thing: *stored text*, *prompt inputs*",
  ),
  // At the start of a comment.
  phrase(/(?<=(?:\*|\/\/)\s{1,9})What (?!if\b)[a-z]+(?![^.]*\?)/g, "name the thing: *stored text*, *prompt inputs*"),
  phrase(/\bwhat (?:stands|stood|lies|lay|comes|goes|belongs|came|went)\b/gi, "name the thing"),
  phrase(
    /\bwhat (?:is|was) (?:told|said|kept|held|taken|left|set|shown|asked|put|seen|written|known|there)\b/gi,
    "name the thing",
  ),
  phrase(
    /\b(?:stands?|stood|standing) (?:for|behind|beside|before|after|in|at|on|here|there|aside|still|open|alone|between|above|below|ahead|under|next|as|with|without|twice|once|only|by|to|where|also|first|last|under|and)\b/gi,
    "is, replaces, precedes",
  ),
  phrase(
    /\b(?:lies|lay|lying|lain) (?:down|in|at|on|beside|before|behind|between|there|here|under|within|ready|open|further)\b/gi,
    "is",
  ),
  phrase(/\b(?:is|are|was|were) (?:another|others)\b/gi, "changed, differs"),
  phrase(/\banother than\b/gi, "other than"),
  phrase(/\banew\b/gi, "again"),
  phrase(/\bwhoever\b/gi, "name the actor"),
  phrase(/\bwhomever\b/gi, "name the actor"),
  phrase(/\bwhatever (?:the|it|they|a|is|was|stands|comes|happens|else)\b/gi, "any; regardless of"),
  phrase(
    /\bwho (?:comes|came|asks|holds|reads|looks|waits|has|is) (?:meanwhile|later|first|next|another)\b/gi,
    "later callers",
  ),
  phrase(
    /\b(?:is|are|was|were|be|been|being|gets?|not|never|once|only|also|already) told\b|\btold (?:of|in|what|so|with|by|once|whole|apart|ahead|about|to|from)\b/gi,
    "sent, included, described",
  ),
  phrase(
    /\btells? (?:of|apart|foreign|what|nothing|nobody|where|how|it|them|from|whether|which|the (?:reader|person|rest|model))\b/gi,
    "says, describes, distinguishes, sends",
  ),
  phrase(/\b(?:of|on|with|in) (?:its|their|one's|his|her) own\b/gi, "separate, own"),
  phrase(/\ba(?:n|) \w+ of (?:its|their|one's|your|our|my) own\b/gi, "a separate ..."),
  phrase(/\bbeside\b/gi, "next to, in addition to, besides"),
  phrase(/\b(?:nobody|somebody)\b/gi, "no one, name the actor, or use the passive"),
  phrase(/\b(?:one's|oneself)\b/gi, "your, the user's"),
  phrase(
    /\b(?:as|if|when|that|where|what|which|how) one (?:may|can|could|must|has|does|looks|reads|would|wants|asks|sees|writes|might)\b/gi,
    "name the actor",
  ),
  phrase(/\b(?:goes|go|going|went|gone) on\b/gi, "continues"),
  phrase(/\b(?:takes?|taken|took|taking) up\b/gi, "resumes, starts"),
  phrase(/\bset(?:s|ting)? aside\b/gi, "superseded"),
  phrase(/\bin brief\b/gi, "summarized"),
  phrase(/\bat a stretch\b/gi, "without a break"),
  phrase(/\bfor ever\b/gi, "forever, permanently"),
  phrase(/\bonce and for\b/gi, "permanently"),
  phrase(/\b(?:is|are) no (?:matter|room|question) of\b/gi, "does not depend on"),
  phrase(/\bmeanwhile\b/gi, "in the meantime, concurrently"),
  phrase(/\bof nobody\b|\bto nobody\b|\bfor nobody\b/gi, "no one"),
  phrase(/\bby (?:itself|themselves|himself|herself)\b/gi, "alone, automatically"),
  phrase(/\b(?:the|a|this|that|each|every|another|one) person(?:'s)?\b|\bpersons\b|\bpeople's\b/gi, "the user"),
  phrase(/\bthe house\b|\bhouse rules?\b/gi, "the project"),
  phrase(/\b(?:front|own|same|the|a|this|that|by its|each|its) doors?\b/gi, "entry point, handler"),
  phrase(/\b(?:a|the|each|every|this|its|own|other|earlier|later|other) rooms?\b/gi, "module, folder"),
  phrase(/\bthe pen of\b/gi, "writer"),
  phrase(/\bkept cop(?:y|ies)\b/gi, "artifact"),
  phrase(/\bin their turn\b|\bin its turn\b/gi, "then, also"),
  phrase(/\bwords? that (?:are|is|was|were) (?:not|said)\b/gi, "text"),
  phrase(/\bnothing of (?:it|them|yours|theirs|that|the|his|this)\b/gi, "none of"),
  phrase(/\bof (?:old|late)\b/gi, "earlier, recently"),
  phrase(/\bis (?:as|so) (?:it|they) (?:was|were|is)\b/gi, "is unchanged"),
  phrase(/\bwith a word\b|\byour word\b/gi, "approval, reason"),
  phrase(/\bcomes? to nothing\b/gi, "has no effect"),
  phrase(/\bbrings? nothing\b|\bbrought nothing\b/gi, "no results"),
  phrase(/\bas (?:it|they) (?:stands?|stood)\b/gi, "unchanged"),
  phrase(/\bholds? nothing\b/gi, "is empty"),
  phrase(british, "American spelling"),
];

const irregular =
  "Begun Bought Broken Brought Built Caught Chosen Done Drawn Driven Fallen Forgotten Found Frozen Given Gone Grown Held Hidden Kept Known Left Lost Lying Made Meant Met Paid Rebuilt Said Seen Sent Shown Sold Spent Spoken Stuck Taken Thrown Told Undone Unsent Won Worn Written";
const nouns = "Bed Embed Feed Need Seed Shed Speed";
const isParticiple = new RegExp(
  `^(?:${irregular.replaceAll(" ", "|")}|(?!(?:${nouns.replaceAll(" ", "|")})$)[A-Z][a-z]+ed)$`,
);

/** Whether a type name is only a participle, which says nothing about the thing. `StoredMessage` says it. */
export const isBareParticiple = (name: string): boolean => isParticiple.test(name);
