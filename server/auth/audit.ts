import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Write } from "../store/contract.ts";
import type { Principal } from "./principal.ts";

export type AuditRecord = {
  readonly action: string;
  /** null: the server, or a client that is not signed in. */
  readonly actor: Principal | null;
  /** The account that changes. */
  readonly target?: string | null;
  /** Default: the actor's. */
  readonly address?: string;
  /** Neither contents nor secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
};

/** Plans the audit row of a change. It is committed in the same batch as the change. Without accounts there are none. */
export type PlanAudit = (record: AuditRecord) => readonly Write[];

export const noAudit: PlanAudit = () => [];

export const createAudit =
  ({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }): PlanAudit =>
  ({ action, actor, target = null, address = actor?.address ?? "", detail = {} }) => [
    {
      do: "insert",
      table: "audit",
      row: {
        ...{ id: ids.next(), at: clock.now(), action, target, address },
        actor: actor?.userId ?? null,
        detail: JSON.stringify(detail),
      },
    },
  ];
