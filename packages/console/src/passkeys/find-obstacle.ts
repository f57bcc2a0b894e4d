import type { PasskeyEnrolment } from "../api/types.ts";

/** A reason why a browser can create no passkey on this page. */
export type Obstacle =
  | { readonly kind: "no-host-name" | "not-secure" | "no-support" }
  | { readonly kind: "other-address"; readonly origin: string };

/** Returns why this browser can create no passkey at this address, or undefined if it can. */
export function findObstacle(enrolment: PasskeyEnrolment | undefined): Obstacle | undefined {
  if (!enrolment) return { kind: "no-host-name" };
  if (enrolment.origin !== location.origin) return { kind: "other-address", origin: enrolment.origin };
  if (!isSecureContext) return { kind: "not-secure" };
  return "PublicKeyCredential" in window ? undefined : { kind: "no-support" };
}
