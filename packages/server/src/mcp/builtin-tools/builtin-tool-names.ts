import { waitToolName } from "../tools/pending-result.ts";

/** The names of Paraph's own tools. A capability's tool may not use one of them. */
export const builtinToolNames: ReadonlySet<string> = new Set([
  "find_capabilities",
  "preview_call",
  "make_plan",
  "request_in_words",
  waitToolName,
  "read_receipt",
  "read_session",
  "read_outcomes",
  "undo_call",
]);
