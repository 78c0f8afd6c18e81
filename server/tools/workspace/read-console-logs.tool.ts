import type { CreateTool } from "../tool.ts";
import { createLogTool } from "./read-logs.ts";

const create: CreateTool = ({ clock }) =>
  createLogTool({
    clock,
    kind: "console",
    name: "lov-read-console-logs",
    alias: "read_console_logs",
    description:
      "What the preview of the workspace said on its console, newest last: errors with their place, warnings, compile errors.",
  });
export default create;
