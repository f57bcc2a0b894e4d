import { type Principal, roles } from "@paraph/core";
import { HttpProblem } from "../problem.ts";

/** Rejects a principal who is neither an administrator nor an auditor. It protects data about the whole tenant. */
export function requireAuditor(principal: Principal): Principal {
  if (isAuditorOrAdmin(principal)) return principal;
  throw new HttpProblem(
    "role-missing",
    `Only members of \`${roles.admins}\` and \`${roles.auditors}\` can do this.`,
  );
}

/** Returns whether the principal is an administrator or an auditor. */
export function isAuditorOrAdmin({ groups = [] }: Principal): boolean {
  return groups.includes(roles.admins) || groups.includes(roles.auditors);
}
