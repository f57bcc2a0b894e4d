import { waitToolName } from "../tools/pending-result.ts";

/** What Paraph's own tools are called: no capability's tool may be called the same. */
export const builtinToolNames: ReadonlySet<string> = new Set([
  "find_capabilities",
  "preview_call",
  "make_plan",
  waitToolName,
  "read_receipt",
  "undo_call",
]);
