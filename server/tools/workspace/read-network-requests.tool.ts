import type { CreateTool } from "../tool.ts";
import { createLogTool } from "./read-logs.ts";

const create: CreateTool = ({ clock }) =>
  createLogTool({
    clock,
    kind: "network",
    name: "read_network_requests",
    alias: "lov-read-network-requests",
    description: "What the preview of the workspace asked of the network and what came of it, newest last.",
  });
export default create;
