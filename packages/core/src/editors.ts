import type { Call } from "./call.ts";
import { type EventFacts, lastEvent } from "./event.ts";
import type { Principal } from "./principal.ts";

/**
 * Returns all people who edited this call or one of its predecessors, in order. The last one wrote the current input.
 * None of them counts towards the call's approval, because parts of an edit may survive later edits.
 */
export function listEditors({ events, editedBy }: Pick<Call, "events" | "editedBy">): readonly string[] {
  const editors = lastEvent(events, "accepted")?.data.editors;
  return editors ?? (editedBy === undefined ? [] : [editedBy]);
}

/** Returns the author of the current input, with the groups that they were in when they wrote it. */
export function findLastEditor(call: Call): Principal | undefined {
  const id = listEditors(call).at(-1);
  if (id === undefined) return undefined;
  return { tenant: call.tenant, id, kind: "person", groups: listEditorGroups(call) };
}

/** Returns the groups of the last editor. */
export function listEditorGroups({ events }: Pick<Call, "events">): readonly string[] {
  return lastEvent(events, "accepted")?.data.editorGroups ?? [];
}

/** Returns the draft with these facts in its `accepted` event. The caller must seal that event afterwards. */
export function amendAcceptance(call: Call, facts: Partial<EventFacts["accepted"]>): Call {
  const events = call.events.map((event) =>
    event.kind === "accepted" ? { ...event, data: { ...event.data, ...facts } } : event,
  );
  return { ...call, events };
}

/**
 * Returns the call with these editors in its `accepted` event, so that its receipt names them. `groups` are the groups
 * of the last editor.
 */
export function withEditors(call: Call, editors: readonly string[], groups: readonly string[]): Call {
  const editedBy = editors.at(-1);
  if (editedBy === undefined) return call;
  const named = { editedBy, editors, ...(groups.length > 0 && { editorGroups: groups }) };
  return { ...amendAcceptance(call, named), editedBy };
}

/** Returns the list with the editor at its end, because the last entry is the author of the current input. */
export function appendEditor(editors: readonly string[], editor: string): readonly string[] {
  return [...editors.filter((one) => one !== editor), editor];
}
