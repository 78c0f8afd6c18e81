import type { Body, Params, Query, Response as Answer } from "../../protocol/api.ts";
import type { RouteName } from "../../protocol/routes.ts";
import type { Principal } from "../auth/principal.ts";

/** A request that has passed the door: its sender is known and every field has been parsed by the route's schema. */
export type RouteRequest<N extends RouteName> = {
  readonly principal: Principal;
  readonly params: Params<N>;
  readonly query: Query<N>;
  readonly body: Body<N>;
  readonly requestId: string;
};

/** Sign-in and sign-out deal in cookies, so the door answers them itself; what is shared is answered to nobody in particular. */
export type SessionRoute = "signIn" | "signOut";
export type OpenRoute = "getShared";
export type HandledRoute = Exclude<RouteName, SessionRoute | OpenRoute>;

/** One function per route. It answers, or throws a `Refusal`; anything else it throws is a bug and becomes a 500. */
export type Handlers = { readonly [N in HandledRoute]: (request: RouteRequest<N>) => Promise<Answer<N>> };

/** What the door asks of a logger; pino's fits. */
export type Logger = { readonly [L in "debug" | "info" | "warn" | "error"]: (fields: object, message: string) => void };
