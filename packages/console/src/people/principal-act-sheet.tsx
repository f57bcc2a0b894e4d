import { type Act, ActSheet } from "../acts/act-sheet.tsx";
import { GroupSheet } from "../acts/group-sheet.tsx";
import { KeySheet } from "../acts/key-sheet.tsx";
import type { PrincipalDetails } from "../api/types.ts";

/** An act on the page of a principal. */
export type PrincipalAct = PlainAct | FormAct | FreezeAct;

/** An act without a form. */
type PlainAct =
  | { readonly kind: "disable" | "end-sessions" }
  | { readonly kind: "enable"; readonly freeze: string | undefined }
  | { readonly kind: "revoke-key"; readonly key: string }
  | { readonly kind: "leave-group"; readonly group: string }
  | { readonly kind: "revoke-grant"; readonly grant: string };

type FormAct = { readonly kind: "issue-key" } | { readonly kind: "join-group" };

type FreezeAct =
  | { readonly kind: "freeze"; readonly subject: string }
  | { readonly kind: "thaw"; readonly freeze: string };

/** The form and the preview of an act, except of a freeze. */
export function PrincipalActSheet({
  act,
  principal,
  tenant,
  onClose,
}: {
  readonly act: PlainAct | FormAct;
  readonly principal: PrincipalDetails;
  readonly tenant: string;
  readonly onClose: () => void;
}) {
  if (act.kind === "issue-key") return <KeySheet principal={principal} tenant={tenant} onClose={onClose} />;
  if (act.kind === "join-group") return <GroupSheet id={principal.id} onClose={onClose} />;
  const [shown, input] = describeAct(act, principal.id);
  return <ActSheet act={shown} input={input} onClose={onClose} />;
}

function describeAct(act: PlainAct, id: string): readonly [Act, object] {
  switch (act.kind) {
    case "disable":
      return [
        { title: `Disable ${id}`, capability: "admin.principal_disable", button: "Disable" },
        { principal: id },
      ];
    case "enable":
      return [
        { title: `Enable ${id}`, capability: "admin.principal_enable", button: "Enable" },
        { principal: id, ...(act.freeze !== undefined && { freeze: act.freeze }) },
      ];
    case "end-sessions":
      return [
        { title: `End the sessions of ${id}`, capability: "admin.sessions_end", button: "End sessions" },
        { principal: id },
      ];
    case "revoke-key":
      return [
        { title: `Revoke key ${act.key}`, capability: "admin.key_revoke", button: "Revoke key" },
        { keyId: act.key },
      ];
    case "leave-group":
      return [
        {
          title: `Remove ${id} from ${act.group}`,
          capability: "admin.group_change",
          button: "Remove from group",
        },
        { group: act.group, remove: [id] },
      ];
    case "revoke-grant":
      return [
        { title: "Revoke this grant", capability: "admin.grant_revoke", button: "Revoke grant" },
        { grant: act.grant },
      ];
  }
}
