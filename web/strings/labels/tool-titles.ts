/** Titles of calls whose tool gives none; other tools are titled by their name. */
export const toolTitles: Readonly<Record<string, string>> = {
  plan_research: "Plan the research",
  search_web: "Search the web",
  scrape_webpage: "Read pages",
  working_memory: "Remember",
  read_artifact: "Read an artifact",
  now: "Check the time",
};
