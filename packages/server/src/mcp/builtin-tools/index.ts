import { findCapabilities } from "./find-capabilities.ts";
import { makePlan } from "./make-plan.ts";
import type { OwnTool } from "./own-tool.ts";
import { previewCall } from "./preview-call.ts";
import { readReceipt } from "./read-receipt.ts";
import { undoCall } from "./undo-call.ts";
import { waitForCall } from "./wait-for-call.ts";

const all = [findCapabilities, previewCall, makePlan, waitForCall, readReceipt, undoCall];

const byName: ReadonlyMap<string, OwnTool> = new Map(all.map((tool) => [tool.definition.name, tool]));

/**
 * Where everything is offered, everything of Paraph's is too. Behind a server's own door its clients find what they were made for,
 * and the one tool without which they could not come back for what was pending.
 */
export function ownTools(server: string | undefined, waitName: string): ReadonlyMap<string, OwnTool> {
  if (server === undefined) return byName;
  const { definition, run } = waitForCall;
  return new Map([[waitName, { definition: { ...definition, name: waitName }, run }]]);
}

export type { Room } from "./own-tool.ts";
