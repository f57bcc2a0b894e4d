import { useQuery } from "@tanstack/react-query";
import { type Act, ActSheet } from "../acts/act-sheet.tsx";
import { GroupSheet } from "../acts/group-sheet.tsx";
import { KeySheet } from "../acts/key-sheet.tsx";
import { principalFreezesQuery } from "../api/people-queries.ts";
import type { PrincipalDetails } from "../api/types.ts";

/** An act on the page of a principal. */
export type PrincipalAct = PlainAct | FormAct | FreezeAct;

/** An act without a form. */
type PlainAct =
  | { readonly kind: "disable" | "end-sessions" }
  | { readonly kind: "revoke-key"; readonly key: string }
  | { readonly kind: "leave-group"; readonly group: string }
  | { readonly kind: "revoke-grant"; readonly grant: string };

type FormAct = { readonly kind: "issue-key" } | { readonly kind: "join-group" } | { readonly kind: "enable" };

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
  if (act.kind === "enable") return <EnableSheet principal={principal} onClose={onClose} />;
  const [shown, input] = describeAct(act, principal.id);
  return <ActSheet act={shown} input={input} onClose={onClose} />;
}

/** Enables a principal. Disabling froze it too, so this lifts that freeze, and no earlier one. */
function EnableSheet({
  principal: { id, disabledAt },
  onClose,
}: {
  readonly principal: PrincipalDetails;
  readonly onClose: () => void;
}) {
  const { data } = useQuery(principalFreezesQuery(id));
  const disabling = data?.findLast(({ at }) => disabledAt !== undefined && at >= disabledAt);
  return (
    <ActSheet
      act={{ title: `Enable ${id}`, capability: "admin.principal_enable", button: "Enable" }}
      input={data && { principal: id, ...(disabling && { freeze: disabling.freeze }) }}
      onClose={onClose}
    />
  );
}

function describeAct(act: PlainAct, id: string): readonly [Act, object] {
  switch (act.kind) {
    case "disable":
      return [
        { title: `Disable ${id}`, capability: "admin.principal_disable", button: "Disable" },
        { principal: id },
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
