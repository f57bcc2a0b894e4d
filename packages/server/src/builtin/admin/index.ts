import type { Capability } from "@paraph/core";
import type { Administration } from "./administration.ts";
import { createFreezeCapability } from "./freezes/freeze.ts";
import { createThawCapability } from "./freezes/thaw.ts";
import { createBreakGlassCapability } from "./grants/break-glass.ts";
import { createGrantCapability } from "./grants/grant.ts";
import { createGrantRevokeCapability } from "./grants/grant-revoke.ts";
import { createContactChangeCapability } from "./identity/contact-change.ts";
import { createGroupChangeCapability } from "./identity/group-change.ts";
import { createInviteCapability } from "./identity/invite.ts";
import { createKeyCreateCapability } from "./identity/key-create.ts";
import { createKeyRevokeCapability } from "./identity/key-revoke.ts";
import { createPasskeyAddCapability } from "./identity/passkey-add.ts";
import { createPasskeyRemoveCapability } from "./identity/passkey-remove.ts";
import { createPrincipalAddCapability } from "./identity/principal-add.ts";
import {
  createPrincipalDisableCapability,
  createPrincipalEnableCapability,
} from "./identity/principal-disable.ts";
import { createSessionsEndCapability } from "./identity/sessions-end.ts";
import { createSlackLinkCapability } from "./identity/slack-link.ts";
import { createSlackUnlinkCapability } from "./identity/slack-unlink.ts";
import { createMcpApproveCapability } from "./mcp-approve.ts";
import { createPolicyPublishCapability } from "./policy-publish.ts";

export type * from "./administration.ts";

/**
 * Creates the administrative capabilities. Like any other capability, they have previews, rulings, approvals and
 * receipts, and Paraph performs each call once.
 */
export function createAdminCapabilities(administration: Administration): Capability[] {
  return [
    createFreezeCapability,
    createThawCapability,
    createPrincipalAddCapability,
    createPrincipalDisableCapability,
    createPrincipalEnableCapability,
    createSessionsEndCapability,
    createInviteCapability,
    createContactChangeCapability,
    createPasskeyAddCapability,
    createPasskeyRemoveCapability,
    createSlackLinkCapability,
    createSlackUnlinkCapability,
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
