import type { CreateTool } from "../tool.ts";
import { createLogTool } from "./read-logs.ts";

const create: CreateTool = ({ clock }) =>
  createLogTool({
    clock,
    kind: "network",
    name: "read_network_requests",
    alias: "lov-read-network-requests",
    description: "Reads the network requests of the workspace's preview with their results, newest last.",
  });
export default create;
