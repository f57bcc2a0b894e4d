import type { Change } from "@paraph/core";
import { changeVerbs } from "../../web/sections/change-list.ts";
import type { MailBlock } from "./document.ts";
import { isShownWhole, toQuote } from "./quoted-text.ts";

const maxItems = 10;

/** Describes changes as a list. */
export function listChanges(changes: readonly Change[]): readonly MailBlock[] {
  const left = changes.length - maxItems;
  const items = changes.slice(0, maxItems).map(({ kind, target, summary, diff }) => ({
    text: `${changeVerbs[kind] ?? "Affects"} ${target}`,
    ...(summary !== undefined && { note: summary }),
    ...(diff !== undefined && { quote: toQuote(diff) }),
  }));
  const more: readonly MailBlock[] =
    left > 0
      ? [{ kind: "paragraph", text: `The page shows ${left} more ${left === 1 ? "change" : "changes"}.` }]
      : [];
  return [{ kind: "list", title: "What will change", items }, ...more];
}

/** [TRUST 6] Returns whether a mail shows every change in full. */
export function showsChangesWhole(changes: readonly Change[]): boolean {
  return (
    changes.length <= maxItems &&
    changes.every(
      ({ target, summary, diff, details }) =>
        details === undefined &&
        [target, summary, diff].every(isShownWhole) &&
        !`${target}${summary}`.includes("\n"),
    )
  );
}
