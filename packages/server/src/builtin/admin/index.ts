import type { Capability } from "@paraph/core";
import type { Administration } from "./administration.ts";
import { breakGlass } from "./break-glass.ts";
import { freeze } from "./freeze.ts";
import { grant } from "./grant.ts";
import { grantRevoke } from "./grant-revoke.ts";
import { groupChange } from "./group-change.ts";
import { invite } from "./invite.ts";
import { keyCreate } from "./key-create.ts";
import { keyRevoke } from "./key-revoke.ts";
import { mcpApprove } from "./mcp-approve.ts";
import { policyPublish } from "./policy-publish.ts";
import { principalAdd } from "./principal-add.ts";
import { principalDisable, principalEnable } from "./principal-disable.ts";
import { sessionsEnd } from "./sessions-end.ts";
import { thaw } from "./thaw.ts";

export type * from "./administration.ts";

/** Administration as calls: previewed, ruled on, approved, performed once and proven like any other. */
export function admin(administration: Administration): Capability[] {
  return [
    freeze,
    thaw,
    principalAdd,
    principalDisable,
    principalEnable,
    sessionsEnd,
    invite,
    groupChange,
    keyCreate,
    keyRevoke,
    grant,
    grantRevoke,
    policyPublish,
    mcpApprove,
    breakGlass,
  ].map((capability) => capability(administration));
}
