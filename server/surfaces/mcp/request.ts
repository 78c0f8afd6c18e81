import type { ServerContext } from "@modelcontextprotocol/server";
import type { BodyInput, Params, QueryInput, Response as Answer } from "../../../protocol/api.ts";
import type { OpenRouteName, RouteName } from "../../../protocol/routes.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Watch } from "../../log/types.ts";

/** Routes that can be called without HTTP. The others set cookies or need no principal. */
export type CallableRoute = Exclude<RouteName, OpenRouteName>;

export type RouteInput<N extends RouteName> = {
  readonly params?: Params<N>;
  readonly query?: QueryInput<N>;
  readonly body?: BodyInput<N>;
};

/** Calls a route of the API as the page does: parsed with its schemas, authorized for the principal. */
export type CallRoute = <N extends CallableRoute>(
  principal: Principal,
  name: N,
  input: RouteInput<N>,
) => Promise<Answer<N>>;

export type SurfaceOptions = {
  readonly callRoute: CallRoute;
  readonly watch: Watch;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Base of links to the page. */
  readonly publicUrl: string;
  readonly version: string;
  readonly onBug: (error: unknown) => void;
};

/** One MCP request of an authenticated caller. */
export type McpRequest = Omit<SurfaceOptions, "callRoute" | "onBug" | "version"> & {
  readonly call: <N extends CallableRoute>(name: N, input?: RouteInput<N>) => Promise<Answer<N>>;
  /** Whether the client can show a form to its user. */
  readonly canElicit: () => boolean;
  readonly context: ServerContext;
};
