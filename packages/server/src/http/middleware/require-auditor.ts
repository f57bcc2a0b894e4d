import { type Principal, roles } from "@paraph/core";
import { Problem } from "../problem.ts";

/** What concerns everybody here is for those who administer and those who audit. */
export function overseer(principal: Principal): Principal {
  if (isOverseer(principal)) return principal;
  throw new Problem("role-missing", `This is for members of \`${roles.admins}\` and \`${roles.auditors}\`.`);
}

export function isOverseer({ groups = [] }: Principal): boolean {
  return groups.includes(roles.admins) || groups.includes(roles.auditors);
}
