import type { Capability } from "@paraph/core";
import type { Administration } from "./administration.ts";
import { createBreakGlassCapability } from "./break-glass.ts";
import { createFreezeCapability } from "./freeze.ts";
import { createGrantCapability } from "./grant.ts";
import { createGrantRevokeCapability } from "./grant-revoke.ts";
import { createGroupChangeCapability } from "./group-change.ts";
import { createInviteCapability } from "./invite.ts";
import { createKeyCreateCapability } from "./key-create.ts";
import { createKeyRevokeCapability } from "./key-revoke.ts";
import { createMcpApproveCapability } from "./mcp-approve.ts";
import { createPolicyPublishCapability } from "./policy-publish.ts";
import { createPrincipalAddCapability } from "./principal-add.ts";
import { createPrincipalDisableCapability, createPrincipalEnableCapability } from "./principal-disable.ts";
import { createSessionsEndCapability } from "./sessions-end.ts";
import { createThawCapability } from "./thaw.ts";

export type * from "./administration.ts";

/** Administration as calls: previewed, ruled on, approved, performed once and proven like any other. */
export function createAdminCapabilities(administration: Administration): Capability[] {
  return [
    createFreezeCapability,
    createThawCapability,
    createPrincipalAddCapability,
    createPrincipalDisableCapability,
    createPrincipalEnableCapability,
    createSessionsEndCapability,
    createInviteCapability,
    createGroupChangeCapability,
    createKeyCreateCapability,
    createKeyRevokeCapability,
    createGrantCapability,
    createGrantRevokeCapability,
    createPolicyPublishCapability,
    createMcpApproveCapability,
    createBreakGlassCapability,
  ].map((capability) => capability(administration));
}
