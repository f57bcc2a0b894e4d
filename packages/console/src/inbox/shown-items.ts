import { useState } from "react";
import type { InboxItem } from "../api/types.ts";

/** An item as the list shows it. `isGone` means that it is no longer open but keeps its place. */
export interface ShownItem extends InboxItem {
  readonly isGone?: true;
}

/**
 * Keeps the order of the shown items while data changes, so that no row moves under the pointer. Changed items change
 * in place, and closed ones stay. New ones are counted, and appear after `showNew`.
 */
export function useShownItems(
  view: string,
  items: readonly InboxItem[] | undefined,
): { readonly shown: readonly ShownItem[]; readonly newCount: number; readonly showNew: () => void } {
  const [kept, setKept] = useState<{ readonly view: string; readonly items: readonly InboxItem[] }>();
  if (items === undefined) return { shown: [], newCount: 0, showNew: () => {} };
  const current = new Map(items.map((item) => [item.approval, item]));
  const isKept =
    kept?.view === view && (items.length === 0 || kept.items.some(({ approval }) => current.has(approval)));
  const base = isKept ? kept.items : items;
  // An update during the render: React repeats the render at once, before anything is visible.
  if (!isKept) setKept({ view, items });
  const shown = base.map((item) => current.get(item.approval) ?? { ...item, isGone: true as const });
  const known = new Set(base.map(({ approval }) => approval));
  const newCount = items.filter(({ approval }) => !known.has(approval)).length;
  return { shown, newCount, showNew: () => setKept({ view, items }) };
}
