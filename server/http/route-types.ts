import type { Body, Params, Query, Response as Answer } from "../../protocol/api.ts";
import type { RouteName } from "../../protocol/routes.ts";
import type { Principal } from "../auth/principal.ts";

/** An authenticated request whose fields were parsed with the route's schemas. */
export type RouteRequest<N extends RouteName> = {
  readonly principal: Principal;
  readonly params: Params<N>;
  readonly query: Query<N>;
  readonly body: Body<N>;
  readonly requestId: string;
};

/** Routes that are handled in `api-routes.ts`: sign-in and sign-out set cookies, and shared threads need no principal. */
type SessionRoute = "signIn" | "signOut";
export type OpenRoute = "getShared";
export type HandledRoute = Exclude<RouteName, SessionRoute | OpenRoute>;

/** One handler per route. It returns the response body or throws an `ApiError`. Any other error is a bug and becomes a 500. */
export type Handlers = { readonly [N in HandledRoute]: (request: RouteRequest<N>) => Promise<Answer<N>> };

/** The part of pino's logger that is used here. */
export type Logger = { readonly [L in "debug" | "info" | "warn" | "error"]: (fields: object, message: string) => void };
