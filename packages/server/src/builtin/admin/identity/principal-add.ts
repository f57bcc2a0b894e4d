import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "../administration.ts";
import { createRefusal, defineAdminCapability } from "../define-admin-capability.ts";
import { newPrincipalIdInput, principalIdInput } from "../input-schemas.ts";

/** Creates `admin.principal_add`. Principals are never removed, so that the names in receipts keep their meaning. */
export function createPrincipalAddCapability({ people }: Administration): Capability {
  return defineAdminCapability({
    verb: "principal_add",
    summary: "Add a person, an agent or a service",
    risk: "high",
    input: newPrincipalInput,
    output: z.object({ principal: z.string() }),
    preview: async ({ id, kind, owner }, { tenant }) => {
      if (await people.find(tenant, id)) throw createPrincipalTakenError(id);
      if (owner !== undefined && (await people.find(tenant, owner))?.kind !== "person")
        throw createUnknownOwnerError(owner);
      return {
        changes: [{ kind: "create", target: `${kind} ${id}`, summary: summaryByKind[kind](owner) }],
        basis: null,
      };
    },
    apply: async ({ id, kind, owner }, { tenant }) => {
      const changed = await people.add({ tenant, id, kind, ...(owner !== undefined && { owner }) });
      if (changed === "taken") throw createPrincipalTakenError(id);
      if (changed === "owner-unknown") throw createUnknownOwnerError(owner ?? "");
      return { principal: id };
    },
  });
}

const newPrincipalInput = z
  .strictObject({
    id: newPrincipalIdInput,
    kind: z.enum(["person", "agent", "service"]),
    owner: principalIdInput.optional().describe("person who is responsible for the agent or service"),
  })
  .refine(({ kind, owner }) => kind !== "person" || owner === undefined, {
    path: ["owner"],
    message: "a person has no owner",
  });

const summaryByKind: Record<"person" | "agent" | "service", (owner: string | undefined) => string> = {
  person: () => "New person. They can approve the calls of others once they can log in or have a key.",
  agent: (owner) => `New agent. Owner: ${owner ?? "none"}. It can do nothing until it has a key.`,
  service: (owner) => `New service. Owner: ${owner ?? "none"}. It can do nothing until it has a key.`,
};

const createPrincipalTakenError = (id: string) =>
  createRefusal("principal-taken", `A principal \`${id}\` already exists. Choose another id.`);
const createUnknownOwnerError = (owner: string) =>
  createRefusal("owner-unknown", `There is no person \`${owner}\`.`);
