import { type Principal, roles } from "@paraph/core";
import { HttpProblem } from "../problem.ts";

/** What concerns everybody here is for those who administer and those who audit. */
export function requireAuditor(principal: Principal): Principal {
  if (isAuditorOrAdmin(principal)) return principal;
  throw new HttpProblem(
    "role-missing",
    `This is for members of \`${roles.admins}\` and \`${roles.auditors}\`.`,
  );
}

export function isAuditorOrAdmin({ groups = [] }: Principal): boolean {
  return groups.includes(roles.admins) || groups.includes(roles.auditors);
}
