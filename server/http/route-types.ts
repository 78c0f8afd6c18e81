import type { Body, Params, Query, Response as Answer } from "../../protocol/api.ts";
import type { OpenRouteName, RouteName } from "../../protocol/routes.ts";
import type { Principal } from "../auth/principal.ts";

/** An authenticated request whose fields were parsed with the route's schemas. */
export type RouteRequest<N extends RouteName> = {
  readonly principal: Principal;
  readonly params: Params<N>;
  readonly query: Query<N>;
  readonly body: Body<N>;
  readonly requestId: string;
  /** The header `Origin`; undefined if no browser sent the request. */
  readonly origin?: string | undefined;
};

/** Routes that need no principal. `signOut` is handled in `api-routes.ts`, because it clears cookies. */
export type OpenRoute = Exclude<OpenRouteName, "signOut">;
export type HandledRoute = Exclude<RouteName, OpenRouteName>;

/** The client of an open route. */
export type Browser = {
  /** Whether it connected over TLS, so that its cookies are bound to this host. */
  readonly https: boolean;
  readonly address: string;
  readonly agent: string;
  /** The headers `Cookie` and `Origin`. */
  readonly cookies?: string | undefined;
  readonly origin?: string | undefined;
};

export type OpenRequest<N extends OpenRoute> = {
  readonly params: Params<N>;
  readonly query: Query<N>;
  readonly body: Body<N>;
  readonly browser: Browser;
};

/** One handler per open route. Each `cookie` is a `Set-Cookie` value. */
export type OpenHandlers = {
  readonly [N in OpenRoute]: (
    request: OpenRequest<N>,
  ) => Promise<{ readonly value: Answer<N>; readonly cookie?: string | readonly string[] }>;
};

/** One handler per route. It returns the response body or throws an `ApiError`. Any other error is a bug and becomes a 500. */
export type Handlers = { readonly [N in HandledRoute]: (request: RouteRequest<N>) => Promise<Answer<N>> };

/** The part of pino's logger that is used here. */
export type Logger = { readonly [L in "debug" | "info" | "warn" | "error"]: (fields: object, message: string) => void };
