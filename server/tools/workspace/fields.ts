import { z } from "zod";
import { workspaceLimits } from "../../../protocol/workspace/limits.ts";
import type { BuilderCall } from "../../workspace/workspace.ts";
import type { ToolContext, ToolDeps } from "../tool.ts";

export const Path = z.string().min(1).max(workspaceLimits.pathCharacters);
export const FileText = z.string().max(workspaceLimits.fileBytes);

/** The files of a thread belong to one project, so these calls run one after the other, in order. */
export const locks = (): readonly string[] => ["workspace"];

export const limits = { timeoutMs: 15_000, resultTokens: 2_500 } as const;

export const toCall = (context: ToolContext, clock: ToolDeps["clock"]): BuilderCall => ({
  ...context,
  now: clock.now(),
});

type RawInput = Readonly<Record<string, unknown>>;

/** Accepts other argument names that models use, if the tool's own is missing. */
export const fillNames =
  (names: Readonly<Record<string, readonly string[]>>) =>
  (input: RawInput): RawInput => {
    const filled: Record<string, unknown> = { ...input };
    for (const [name, others] of Object.entries(names)) {
      const other = others.find((one) => filled[one] !== undefined);
      if (other === undefined) continue;
      if (filled[name] === undefined) filled[name] = filled[other];
      delete filled[other];
    }
    return filled;
  };

export const pathNames = { file_path: ["path", "file", "filename", "filepath"] } as const;
