import type { BuiltinTool } from "./builtin-tool.ts";
import { findCapabilitiesTool } from "./find-capabilities.ts";
import { makePlanTool } from "./make-plan.ts";
import { previewCallTool } from "./preview-call.ts";
import { readOutcomesTool } from "./read-outcomes.ts";
import { readReceiptTool } from "./read-receipt.ts";
import { readSessionTool } from "./read-session.ts";
import { requestInWordsTool } from "./request-in-words.ts";
import { undoCallTool } from "./undo-call.ts";
import { waitForCallTool } from "./wait-for-call.ts";

const builtinTools = [
  findCapabilitiesTool,
  previewCallTool,
  makePlanTool,
  requestInWordsTool,
  waitForCallTool,
  readReceiptTool,
  readSessionTool,
  readOutcomesTool,
  undoCallTool,
];

const toolsByName: ReadonlyMap<string, BuiltinTool> = new Map(
  builtinTools.map((tool) => [tool.definition.name, tool]),
);

/**
 * Returns Paraph's own tools for an endpoint. The endpoint of all capabilities offers all of these tools. The endpoint
 * of one server offers only the tool that fetches pending results.
 */
export function selectBuiltinTools(
  server: string | undefined,
  waitName: string,
): ReadonlyMap<string, BuiltinTool> {
  if (server === undefined) return toolsByName;
  const { definition, run } = waitForCallTool;
  return new Map([[waitName, { definition: { ...definition, name: waitName }, run }]]);
}

export type { ToolContext } from "./builtin-tool.ts";
