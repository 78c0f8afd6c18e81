import type { QueryInput } from "../../protocol/api.ts";
import type { SearchKind } from "../../protocol/search.ts";

/** The search query and its filters. They are in the URL's hash, so that search terms do not appear in server logs. */
export type SearchRoute = {
  readonly q: string;
  readonly kind: SearchKind | null;
  readonly projectId: string | null;
  readonly profile: string | null;
  /** Days, inclusive: 2026-11-15. */
  readonly from: string | null;
  readonly to: string | null;
  readonly archived: "true" | "false" | null;
};

export const searchPath = "/search";
export const everywhere: SearchRoute = {
  q: "",
  kind: null,
  projectId: null,
  profile: null,
  from: null,
  to: null,
  archived: null,
};

const names = ["q", "kind", "projectId", "profile", "from", "to", "archived"] as const;
const mostCharacters = 200;
const isId = (text: string): boolean => /^[\w-]{1,128}$/.test(text);
const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

/** Invalid values in the URL are ignored. */
export function readSearchRoute(hash: string): SearchRoute {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const read = (name: string, fits: (text: string) => boolean) => {
    const text = params.get(name);
    return text !== null && fits(text) ? text : null;
  };
  return {
    q: (params.get("q") ?? "").slice(0, mostCharacters),
    kind: read("kind", (text) => ["said", "fetched", "written"].includes(text)) as SearchKind | null,
    projectId: read("projectId", isId),
    profile: read("profile", isId),
    from: read("from", isDay),
    to: read("to", isDay),
    archived: read("archived", (text) => text === "true" || text === "false") as "true" | "false" | null,
  };
}

export function toSearchPath(route: Partial<SearchRoute>): string {
  const params = new URLSearchParams();
  for (const name of names) if (route[name]) params.set(name, route[name]);
  return params.size === 0 ? searchPath : `${searchPath}#${params}`;
}

/** The API query. Days are in the reader's time zone: from the start of the first to the end of the last. */
export function toSearchQuery(route: SearchRoute, limit: number): QueryInput<"search"> {
  const { q, kind, projectId, profile, from, to, archived } = route;
  return {
    q: q.trim(),
    limit,
    ...(kind ? { kind } : {}),
    ...(projectId ? { projectId } : {}),
    ...(profile ? { profile } : {}),
    ...(from ? { from: toMoment(from, 0) } : {}),
    ...(to ? { to: toMoment(to, 1) } : {}),
    ...(archived ? { archived } : {}),
  };
}

const toMoment = (day: string, later: number): number => {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return Math.max(0, new Date(year, month - 1, date + later).getTime());
};

/** Number of active filters besides the query. */
export const countFilters = ({ q: _, ...filters }: SearchRoute): number =>
  Object.values(filters).filter((value) => value !== null).length;
