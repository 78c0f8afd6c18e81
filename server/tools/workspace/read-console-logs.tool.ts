import type { CreateTool } from "../tool.ts";
import { createLogTool } from "./read-logs.ts";

const create: CreateTool = ({ clock }) =>
  createLogTool({
    clock,
    kind: "console",
    name: "read_console_logs",
    alias: "lov-read-console-logs",
    description:
      "Reads the console of the workspace's preview, newest last: errors with their location, warnings, compile errors.",
  });
export default create;
