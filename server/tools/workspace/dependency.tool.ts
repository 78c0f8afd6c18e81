import { z } from "zod";
import { planAddPackage, planRemovePackage } from "../../workspace/workspace.ts";
import { defineTool, type CreateTool } from "../tool.ts";
import { filesGroup } from "./group.ts";
import { fillNames, limits, toCall, locks } from "./fields.ts";

const Name = z.string().min(1).max(300);
const fill = fillNames({ package: ["name", "package_name", "dependency"] });
const toDigest =
  (verb: string) =>
  (_: unknown, output: unknown): string =>
    `${verb} ${(output as { package: string }).package} ${verb === "added" ? "to" : "from"} package.json`;

const create: CreateTool = ({ clock }) => [
  defineTool({
    name: "add_dependency",
    group: filesGroup,
    aliases: ["lov-add-dependency"],
    description: "Adds a package to package.json and says whether the preview supports it. Nothing is installed.",
    input: z.object({ package: Name.describe("Like zustand or zustand@5.0.0"), dev: z.boolean().optional() }),
    repeat: "keyed",
    effects: ["write"],
    limits,
    locks,
    fill,
    describe: (input) => `Add ${input.package} to package.json`,
    summarize: toDigest("added"),
    execute: (input, context) =>
      planAddPackage(toCall(context, clock), { spec: input.package, dev: input.dev ?? false }),
  }),
  defineTool({
    name: "remove_dependency",
    group: filesGroup,
    aliases: ["lov-remove-dependency"],
    description: "Removes a package from package.json.",
    input: z.object({ package: Name }),
    repeat: "keyed",
    effects: ["write"],
    limits,
    locks,
    fill,
    describe: (input) => `Remove ${input.package} from package.json`,
    summarize: toDigest("removed"),
    execute: (input, context) => planRemovePackage(toCall(context, clock), { name: input.package }),
  }),
];
export default create;
