import type { Call, Json, Risk, VisiblePayloads } from "@paraph/core";

/**
 * Returns what an approver types before an approval of critical risk: the target of the first deletion, else of the
 * first change. A target that is hidden from the reader, or hard to type, is replaced by the capability.
 */
export function chooseConfirmation(
  { capability }: Call,
  risk: Risk | undefined,
  { payloads }: VisiblePayloads,
): string | undefined {
  if (risk !== "critical") return undefined;
  const changes = listChanges(payloads.preview);
  const gravest = changes.find(({ kind }) => kind === "delete") ?? changes[0];
  const target = gravest?.target;
  return typeof target === "string" && /^[\x21-\x7e]{1,60}$/.test(target) ? target : capability;
}

function listChanges(preview: Json | undefined): readonly { readonly kind?: Json; readonly target?: Json }[] {
  if (typeof preview !== "object" || preview === null || Array.isArray(preview)) return [];
  const { changes } = preview as { readonly changes?: Json };
  return Array.isArray(changes) ? (changes as never) : [];
}
