import { describe, expect, it } from "vitest";
import { storeConformance } from "../conformance/store-conformance.ts";
import { ModelStore } from "./model-store.ts";

storeConformance(
  "ModelStore",
  async () => {
    let now = 1_767_225_600_000;
    const model = new ModelStore({ now: () => now });
    return {
      store: model,
      tenant: "acme",
      startOtherProcess: async () => {
        const store = model.startProcess();
        return { store, die: async () => store.die() };
      },
      now: async () => now,
      advanceClock: async (ms) => {
        now += ms;
      },
      addPrincipal: async (principal) => model.addPrincipal(principal),
      admin: {
        setGroups: async (id, groups) => model.people.setGroups("acme", id, groups),
        invite: async (id) => model.people.invite({ tenant: "acme", id, kind: "person" }),
        signIn: async (id) => model.people.signIn("acme", id),
        disable: async (id) => model.people.disable("acme", id),
        freeze: async (freeze) => model.freeze("acme", freeze),
        thaw: async (id) => model.thaw("acme", id),
        publish: async (version) => model.getGates("acme").activate(version),
        grant: async (grant) => model.getGates("acme").grant(grant),
        revoke: async (id) => model.getGates("acme").revoke(id),
        delegate: async (delegation) => model.people.delegate("acme", delegation),
        revokeDelegation: async (id) => model.people.revokeDelegation("acme", id),
      },
      listReceipts: async (call) => [model.receipt({ tenant: "acme", call })].filter((r) => r !== undefined),
      listStatements: async (call) =>
        [model.statement({ tenant: "acme", call })].filter((s) => s !== undefined),
      sweep: async () => model.sweepDue(now),
    };
  },
  { describe, it, expect },
);
