import { useQuery } from "@tanstack/react-query";
import { passkeysQuery } from "../api/passkey-queries.ts";
import type { Me, Round } from "../api/types.ts";

/** Returns whether the round needs a passkey and the person has none. */
export function useLacksPasskey({ needsPasskey, status }: Round, me: Me | undefined): boolean {
  const isNeeded = needsPasskey === true && status === "open" && me !== undefined;
  const { data } = useQuery({ ...passkeysQuery(me?.id ?? ""), enabled: isNeeded });
  return isNeeded && data?.passkeys.length === 0;
}
