import {
  adapterName,
  type Ports,
  type Principal,
  sealChatAccount,
  sealGrant,
  sealPasskey,
  type Wake,
} from "@paraph/core";
import type { Administration } from "../builtin/admin/index.ts";
import { createPolicyAdmin } from "../policy/publish-policy.ts";
import {
  createAdminQueries,
  createContactStore,
  createFreezeStore,
  createGrantStore,
  createIdentityStore,
  createPasskeyStore,
  createSlackStore,
  type Database,
  hasOtherTenant,
} from "../postgres/index.ts";
import { maskForReader } from "../visibility/mask-for-reader.ts";
import { loadMcp } from "./load-mcp.ts";

/** The dependencies of `createAdministration`. */
export interface AdministrationDeps {
  readonly database: Database;
  /** The configuration's folder, which also holds the pins. */
  readonly folder: string;
  /**
   * Returns the ports. A function is needed because the ports are created later, with a catalog and policies that
   * contain the administrative capabilities.
   */
  readonly ports: () => Pick<Ports, "store" | "catalog" | "policy" | "settings" | "clock" | "sealer">;
  readonly send: (wakes: readonly Wake[]) => Promise<void>;
  /** Alerts operators that a person used break-glass. The alert holds only ids. */
  readonly alarm: (about: { readonly tenant: string; readonly call: string }) => void;
}

/** Creates the port through which the administrative capabilities use tables, policies and the catalog. */
export function createAdministration(parts: AdministrationDeps): Administration {
  const { database, folder, ports, send, alarm } = parts;
  const sights = createAdminQueries(database.app);
  const people = createIdentityStore(database.app);
  const contacts = createContactStore(database.app);
  const passkeys = createPasskeyStore(database.app);
  const slack = createSlackStore(database);
  const freezes = createFreezeStore(database.app);
  const grants = createGrantStore(database.app);
  const lookups: Parameters<typeof maskForReader>[2] = {
    findCapability: (tenant, name) => ports().catalog.find(tenant, name),
    findCall: ({ tenant }, call) => ports().store.load({ tenant, call }),
    approver: { listDelegationsTo: async () => [] },
  };
  return {
    people: {
      ...people,
      find: sights.findPrincipal,
      hasOther: sights.hasOtherPerson,
      hasSignedIn: sights.hasSignedIn,
      listMembers: sights.listMembers,
      add: people.addPrincipal,
      findKey: sights.findApiKey,
      countAccess: sights.countAccess,
      findMailAddress: (tenant, person) => contacts.find(tenant, person, "mail"),
      setMailAddress: (tenant, person, address) =>
        contacts.set(tenant, person, "mail", address, "administration"),
    },
    passkeys: {
      find: passkeys.find,
      list: passkeys.list,
      add: (tenant, passkey) =>
        passkeys.add(tenant, { ...passkey, seal: sealPasskey(tenant, passkey, ports().sealer) }),
      remove: passkeys.remove,
    },
    slack: {
      find: slack.findAccount,
      link: (tenant, account) =>
        slack.link(tenant, { ...account, seal: sealChatAccount(tenant, account, ports().sealer) }),
      unlink: slack.unlink,
    },
    freezes: {
      findImpact: sights.findFreezeImpact,
      find: sights.findFreeze,
      list: freezes.list,
      freeze: freezes.freeze,
      countHeld: sights.countHeldCalls,
      async thaw(tenant, freeze, by) {
        const { wakes } = await freezes.thaw(tenant, freeze, by);
        const at = ports().clock.now() + thawPropagationMs;
        await send(wakes.map((wake) => ({ ...wake, at })));
        return wakes.length;
      },
    },
    grants: {
      find: sights.findGrant,
      async create(tenant, { count, amount, lastsMs, ...grant }, by) {
        const expiresAt = ports().clock.now() + lastsMs;
        const left = { countLeft: count, ...(amount !== undefined && { amountLeft: amount }) };
        const sealed = sealGrant(tenant, { ...grant, ...left, expiresAt }, ports().sealer);
        const changed = await grants.create(tenant, sealed, by);
        // A repeated request returns the expiry of the grant that the first request created.
        const made = changed === "already" ? await sights.findGrant(tenant, grant.id) : undefined;
        return { expiresAt: made?.expiresAt ?? expiresAt };
      },
      revoke: grants.revoke,
      async findCall(tenant, call) {
        const found = await ports().store.load({ tenant, call });
        const shown = found && (await maskForReader(anyPerson(tenant), found, lookups)).payloads.input;
        return found && shown !== undefined
          ? { capability: found.capability, principal: found.principal.id, shown }
          : undefined;
      },
      alarm,
    },
    policies: createPolicyAdmin(database, sights, ports),
    pins: {
      listPending: async (adapter) => (await loadMcp()).listWaitingPins({ folder, adapter }),
      approve: async (adapter, pins) => (await loadMcp()).approvePins({ folder, adapter }, pins),
      isOnlyTenant: async (tenant) => !(await hasOtherTenant(database.sweeper, tenant)),
    },
    contract: (tenant, name) => ports().catalog.find(tenant, name)?.contract,
    hasAdapter: (tenant, name) =>
      ports()
        .catalog.all(tenant)
        .some(({ contract }) => adapterName(contract) === name),
  };
}

/** Returns a reader who sees what every person of the tenant may see. */
function anyPerson(tenant: string): Principal {
  return { tenant, id: "", kind: "person" };
}

/**
 * The time after which every process knows of a thaw. Until then, a process that does not know of the thaw could park a
 * woken call again.
 */
const thawPropagationMs = 1_000;
