import { drain, loadStreams, openStreams, sample, type Load } from "./streams.ts";
import { takeTurns, type Turns } from "./turns.ts";

/** The client is a separate process, so that its work does not count as the server's. */
export type Order =
  | ({ readonly do: "open" } & Pick<Load, "contestant" | "streams">)
  | ({ readonly do: "streams" } & Load)
  | ({ readonly do: "turns" } & Turns)
  | { readonly do: "sample"; readonly lengthMs: number }
  | { readonly do: "drain" };

const obey = async (order: Order): Promise<unknown> => {
  switch (order.do) {
    case "open":
      return openStreams(order);
    case "streams":
      return loadStreams(order);
    case "turns":
      return takeTurns(order);
    case "sample":
      return sample(order.lengthMs);
    case "drain":
      return drain();
  }
};

process.on("message", ({ id, order }: { id: number; order: Order }) => {
  obey(order).then(
    (result) => process.send?.({ id, result }),
    (error: Error) => process.send?.({ id, error: error.stack ?? String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
