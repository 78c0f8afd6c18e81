#!/usr/bin/env node
import { mkdirSync } from "node:fs";
import { home, isPackaged } from "./project.js";

/**
 * The command `stonechat`. In a clone it installs missing packages first, as the npm commands do. The npm package needs
 * Node 24 and installs nothing. This file and its imports are loaded by any Node that has modules.
 */
const oldest = 24;
const version = process.versions.node;

if (!isPackaged) {
  await import("./run.js");
} else if (Number(version.split(".")[0]) < oldest) {
  process.stderr.write(
    `stonechat: this is Node ${version}, and Stonechat needs Node ${oldest} or newer. Install it from nodejs.org and run the command again.\n`,
  );
  process.exitCode = 1;
} else {
  const { runCommand, userCommands } = await import("./commands.js");
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch {
    // A system without a home folder: only the compile cache is missing.
  }
  await runCommand(userCommands, async () => ({ node: process.execPath }));
}
