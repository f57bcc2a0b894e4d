import { useSyncExternalStore } from "react";

/** A file of policies. */
export interface PolicyFile {
  readonly file: string;
  readonly text: string;
}

// The draft outlives the page, so that a look at another screen does not lose it. Closing the tab does.
let draft: readonly PolicyFile[] = [];
const listeners = new Set<() => void>();

/** Returns the changed files of the draft, and the function that replaces one. */
export function usePolicyDraft(): {
  readonly draft: readonly PolicyFile[];
  readonly change: (file: string, text: string | undefined) => void;
} {
  const current = useSyncExternalStore(subscribe, () => draft);
  return { draft: current, change };
}

/** Puts a file into the draft, or removes it from the draft. */
function change(file: string, text: string | undefined): void {
  const others = draft.filter((other) => other.file !== file);
  draft = text === undefined ? others : [...others, { file, text }];
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
