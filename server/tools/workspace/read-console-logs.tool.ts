import type { CreateTool } from "../tool.ts";
import { createLogTool } from "./read-logs.ts";

const create: CreateTool = ({ clock }) =>
  createLogTool({
    clock,
    kind: "console",
    name: "read_console_logs",
    alias: "lov-read-console-logs",
    description:
      "What the preview of the workspace said on its console, newest last: errors with their place, warnings, compile errors.",
  });
export default create;
