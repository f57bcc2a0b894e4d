import type { Call } from "../../call.ts";
import { type EventFacts, lastEvent } from "../../event.ts";
import type { Principal } from "../../principal.ts";

/**
 * Everyone who edited this call or a call it succeeds, in order: the last one wrote the input as it is now. None of them
 * counts towards its approval, because parts of any edit may survive the later ones.
 */
export function listEditors({ events, editedBy }: Pick<Call, "events" | "editedBy">): readonly string[] {
  const editors = lastEvent(events, "accepted")?.data.editors;
  return editors ?? (editedBy === undefined ? [] : [editedBy]);
}

/** The author of the input as it is now, with the groups that they were in when they wrote it. */
export function findLastEditor(call: Call): Principal | undefined {
  const id = listEditors(call).at(-1);
  if (id === undefined) return undefined;
  return { tenant: call.tenant, id, kind: "person", groups: listEditorGroups(call) };
}

export function listEditorGroups({ events }: Pick<Call, "events">): readonly string[] {
  return lastEvent(events, "accepted")?.data.editorGroups ?? [];
}

/** The draft with these facts in its acceptance, which has to be sealed afterwards. */
export function amendAcceptance(call: Call, facts: Partial<EventFacts["accepted"]>): Call {
  const events = call.events.map((event) =>
    event.kind === "accepted" ? { ...event, data: { ...event.data, ...facts } } : event,
  );
  return { ...call, events };
}

/** The call with these editors on record in its acceptance, so that its receipt names them. `groups`: of the last. */
export function withEditors(call: Call, editors: readonly string[], groups: readonly string[]): Call {
  const editedBy = editors.at(-1);
  if (editedBy === undefined) return call;
  const named = { editedBy, editors, ...(groups.length > 0 && { editorGroups: groups }) };
  return { ...amendAcceptance(call, named), editedBy };
}

/** The list with this editor at its end: who edits again is its last author again. */
export function appendEditor(editors: readonly string[], editor: string): readonly string[] {
  return [...editors.filter((one) => one !== editor), editor];
}
