const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

export const voidTags = setOf(
  "area base br col embed frame hr img input keygen link meta param source track wbr basefont isindex",
);

/** Block-level tags. Other tags count as blocks if they contain one of these. */
export const blockTags = setOf(
  "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav noscript ol p pre search section summary " +
    "table tbody td tfoot th thead tr ul",
);

/** Closing one of these late does not close the blocks inside it. */
export const formattingTags = setOf(
  "a abbr b big cite code del em font i ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var",
);

/** Tags whose content is not visible text. */
export const unreadTags = setOf(
  "area audio base canvas datalist embed frame frameset head iframe input link map meta noembed noframes object " +
    "option optgroup param progress rp script select source style svg template textarea title track video",
);
