import { ParaphError } from "@paraph/core";
import type { RestateAddress } from "../engine/restate/index.ts";

/** Returns the address of the Restate that the environment names, or undefined if it names none. */
export function readRestateAddress(environment: NodeJS.ProcessEnv): RestateAddress | undefined {
  const { RESTATE_INGRESS_URL, RESTATE_ADMIN_URL, RESTATE_PUBLIC_KEY } = environment;
  const given = { RESTATE_INGRESS_URL, RESTATE_ADMIN_URL, RESTATE_PUBLIC_KEY };
  if (RESTATE_INGRESS_URL && RESTATE_ADMIN_URL && RESTATE_PUBLIC_KEY)
    return {
      ingressUrl: RESTATE_INGRESS_URL,
      adminUrl: RESTATE_ADMIN_URL,
      publicKeys: [RESTATE_PUBLIC_KEY],
    };
  const missing = Object.entries(given).flatMap(([name, value]) => (value ? [] : [name]));
  if (missing.length === 3) return undefined;
  throw new ParaphError(
    "config-invalid",
    `Of the three variables for Restate, ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not set. Set ${Object.keys(given).join(", ")} together, or none of them.`,
  );
}
