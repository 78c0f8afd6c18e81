import { describe } from "vitest";
import { tryEveryCell } from "./failpoints/every-cell.ts";

describe("a process that dies at a failpoint of a tool call", () => void tryEveryCell({}));
