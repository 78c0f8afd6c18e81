import { own } from "../lib/own.ts";

/**
 * How calls of a tool are shown. A stored call keeps only the name that the model used, so a kind lists every name and alias that
 * a tool had. Other tools have the generic card, which needs no entry here.
 */
const tools = {
  plan: "plan_research",
  search: "search_web",
  pages: "scrape_webpage",
  memory: "working_memory",
  artifact: "read_artifact",
  summary: "summarize",
  weather: "weather",
  calculation: "calculate",
  time: "now",
  question: "ask_user",
  lookup: "find_tools recall",
  entities:
    "list_entities create_entities update_entities delete_entities link_entities get_entity move_entities unlink_entities " +
    "search_entities get_entities get_entity_details",
  fileChange:
    "write_file replace_lines edit_file delete_file rename_file lov-write lov-line-replace lov-delete lov-rename",
  fileView: "view_file lov-view",
  fileSearch: "search_files lov-search-files",
  workspace:
    "add_dependency remove_dependency read_console_logs read_network_requests lov-add-dependency lov-remove-dependency " +
    "lov-read-console-logs lov-read-network-requests",
} as const;

export type CardKind = keyof typeof tools | "generic";

const kinds = Object.fromEntries(
  Object.entries(tools).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind as CardKind])),
);

export const cardKindOf = (toolName: string): CardKind => own(kinds, toolName) ?? "generic";
