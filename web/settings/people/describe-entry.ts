import type { AuditEntry } from "../../../protocol/account/people.ts";
import { isolate } from "../../lib/format.ts";
import { own } from "../../lib/own.ts";
import { activitySettings as strings, type ActivityFacts } from "../../strings/settings/activity.ts";

/** A sentence such as "Ada suspended Bob". */
export function describeEntry({ action, actor, target, detail }: AuditEntry): string {
  const changes = [detail["name"], detail["email"]].filter(isChange);
  const facts: ActivityFacts = {
    who: actor === null ? strings.server : toName(actor),
    whom: target === null ? strings.noLonger : toName(target),
    isRole: target === null && typeof detail["role"] === "string",
    role: (detail["to"] ?? detail["role"]) === "admin" ? "admin" : "member",
    from: isolate(changes.map(({ from }) => from).join(", ") || toText(detail["from"])),
    to: isolate(changes.map(({ to }) => to).join(", ") || toText(detail["to"])),
    name: isolate(
      [detail["model"], detail["provider"], detail["name"], detail["email"]].map(toText).find((text) => text !== "") ??
        "",
    ),
    count: typeof detail["ended"] === "number" ? detail["ended"] : 0,
  };
  const sentences: Readonly<Record<string, (facts: ActivityFacts) => string>> = strings.actions;
  return own(sentences, action)?.(facts) ?? strings.unknown(facts, action);
}

type Change = { readonly from: string; readonly to: string };

const isChange = (value: unknown): value is Change => typeof value === "object" && value !== null && "from" in value;

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

const toName = ({ name }: NonNullable<AuditEntry["actor"]>): string =>
  name === null ? strings.noLonger : isolate(name);
