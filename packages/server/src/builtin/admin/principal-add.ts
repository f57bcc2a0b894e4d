import type { Capability } from "@paraph/core";
import { z } from "zod";
import type { Administration } from "./administration.ts";
import { administrative, refused } from "./administrative.ts";
import { principalId } from "./names.ts";

/** Principals are added and never removed: what a receipt names stays what it was. */
export function principalAdd({ people }: Administration): Capability {
  return administrative({
    verb: "principal_add",
    summary: "Add a person, an agent or a service",
    risk: "high",
    input: newPrincipal,
    output: z.object({ principal: z.string() }),
    preview: async ({ id, kind, owner }, { tenant }) => {
      if (await people.find(tenant, id)) throw taken(id);
      if (owner !== undefined && (await people.find(tenant, owner))?.kind !== "person") throw noOwner(owner);
      return {
        changes: [{ kind: "create", target: `${kind} ${id}`, summary: meaning[kind](owner) }],
        basis: null,
      };
    },
    apply: async ({ id, kind, owner }, { tenant }) => {
      const changed = await people.add({ tenant, id, kind, ...(owner !== undefined && { owner }) });
      if (changed === "taken") throw taken(id);
      if (changed === "owner-unknown") throw noOwner(owner ?? "");
      return { principal: id };
    },
  });
}

const newPrincipal = z
  .strictObject({
    id: principalId,
    kind: z.enum(["person", "agent", "service"]),
    owner: principalId.optional().describe("the person answerable for an agent or a service"),
  })
  .refine(({ kind, owner }) => kind !== "person" || owner === undefined, {
    path: ["owner"],
    message: "a person has no owner",
  });

const owned = (owner: string | undefined) => (owner === undefined ? "nobody" : `\`${owner}\``);

const meaning: Record<"person" | "agent" | "service", (owner: string | undefined) => string> = {
  person: () => "New person, who can approve what others ask for once they can log in or have a key.",
  agent: (owner) => `New agent; ${owned(owner)} answers for it. It can do nothing before it has a key.`,
  service: (owner) => `New service; ${owned(owner)} answers for it. It can do nothing before it has a key.`,
};

const taken = (id: string) => refused("principal-taken", `There is a principal \`${id}\` already.`);
const noOwner = (owner: string) => refused("owner-unknown", `There is no person \`${owner}\`.`);
