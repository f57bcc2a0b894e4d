import { adapterName, type Ports, sealGrant, type Wake } from "@paraph/core";
import { approvePins, waitingPins } from "../adapters/mcp/index.ts";
import type { Administration } from "../builtin/admin/index.ts";
import { publishing } from "../policy/publish-policy.ts";
import { type Database, freezesIn, grantsIn, hasOtherTenant, peopleIn, sightsIn } from "../postgres/index.ts";

export interface AdministrationParts {
  readonly database: Database;
  /** The configuration's, beside which pins are kept. */
  readonly folder: string;
  /** Asked for when something is done: the catalogue, and the policies over it, hold the capabilities that administer too. */
  readonly ports: () => Pick<Ports, "store" | "catalog" | "policy" | "settings" | "clock" | "sealer">;
  readonly send: (wakes: readonly Wake[]) => Promise<void>;
  /** Tells operators, by ids alone, that somebody has broken the glass. */
  readonly alarm: (about: { readonly tenant: string; readonly call: string }) => void;
}

/** What the capabilities that administer are handed: rows, policies and the catalogue behind their one port. */
export function administrationOver(parts: AdministrationParts): Administration {
  const { database, folder, ports, send, alarm } = parts;
  const sights = sightsIn(database.app);
  const people = peopleIn(database.app);
  const freezes = freezesIn(database.app);
  const grants = grantsIn(database.app);
  return {
    people: {
      ...people,
      find: sights.principal,
      hasOther: sights.hasOtherPerson,
      hasSignedIn: sights.hasSignedIn,
      members: sights.members,
      add: people.addPrincipal,
      findKey: sights.apiKey,
      access: sights.access,
    },
    freezes: {
      reach: sights.reach,
      find: sights.freeze,
      freeze: freezes.freeze,
      held: sights.heldBy,
      async thaw(tenant, freeze, by) {
        const { wakes } = await freezes.thaw(tenant, freeze, by);
        const at = ports().clock.now() + knownEverywhereMs;
        await send(wakes.map((wake) => ({ ...wake, at })));
        return wakes.length;
      },
    },
    grants: {
      find: sights.grant,
      async create(tenant, { count, amount, lastsMs, ...grant }, by) {
        const expiresAt = ports().clock.now() + lastsMs;
        const left = { countLeft: count, ...(amount !== undefined && { amountLeft: amount }) };
        const sealed = sealGrant(tenant, { ...grant, ...left, expiresAt }, ports().sealer);
        const changed = await grants.create(tenant, sealed, by);
        // Repeated, it is the grant of the first time, which ends when that one does.
        const made = changed === "already" ? await sights.grant(tenant, grant.id) : undefined;
        return { expiresAt: made?.expiresAt ?? expiresAt };
      },
      revoke: grants.revoke,
      async callLike(tenant, call) {
        const found = await ports().store.load({ tenant, call });
        const input = found?.payloads.input?.value;
        return found && input !== undefined
          ? { capability: found.capability, principal: found.principal.id, input }
          : undefined;
      },
      alarm,
    },
    policies: publishing(database, sights, ports),
    pins: {
      waiting: (adapter) => waitingPins({ folder, adapter }),
      approve: (adapter, pins) => approvePins({ folder, adapter }, pins),
      concernOnly: async (tenant) => !(await hasOtherTenant(database.sweeper, tenant)),
    },
    contract: (tenant, name) => ports().catalog.find(tenant, name)?.contract,
    hasAdapter: (tenant, name) =>
      ports()
        .catalog.all(tenant)
        .some(({ contract }) => adapterName(contract) === name),
  };
}

/** Every process knows of a thaw after this long; one that does not yet would park the call again. */
const knownEverywhereMs = 1_000;
