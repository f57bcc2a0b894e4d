import type { NewReceipt } from "@paraph/core";
import { storeConformance } from "@paraph/core/testing";
import { afterAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../../../../test/support/servers/database.ts";
import {
  beginProcessLease,
  connectDatabase,
  createDelegationStore,
  createFreezeStore,
  createGrantStore,
  createPolicySetStore,
  findResolution,
  PostgresStore,
  provision,
  sweepDueCalls,
} from "../index.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
const lease = await beginProcessLease(database.url);
afterAll(async () => {
  await lease.end();
  await db.close();
});

// The test moves time by replacing the one function that decides waits.
await database.query("create table public.moved (by interval not null)");
await database.query("insert into public.moved values ('0')");
await database.query("grant select on public.moved to public");
await database.query(
  "create or replace function paraph.now() returns timestamptz language sql volatile as 'select clock_timestamp() + by from public.moved'",
);

const [freezes, grants, policies] = [
  createFreezeStore(db.app),
  createGrantStore(db.app),
  createPolicySetStore(db.app),
];
const delegations = createDelegationStore(db.app);
let activations = 0;
let tenants = 0;
const others: (() => Promise<void>)[] = [];

storeConformance(
  "PostgresStore",
  async () => {
    const tenant = `t${++tenants}`;
    await provision(database.ownerUrl, async (p) => {
      await p.addTenant(tenant);
      // The agents' owner must exist. It is a service, so that it does not count as a person.
      await p.addPrincipal({ tenant, id: "owner", kind: "service" });
    });
    return {
      store: new PostgresStore(db.app, lease.number),
      tenant,
      async startOtherProcess() {
        const other = await beginProcessLease(database.url);
        const own = await connectDatabase(database.url);
        let dead: Promise<unknown> | undefined;
        // Both the test and the harness may end a process, so `die` may run twice.
        const die = async () => {
          dead ??= Promise.all([other.end(), own.close()]);
          await dead;
        };
        others.push(die);
        return { store: new PostgresStore(own.app, other.number), die };
      },
      now: async () =>
        Number((await database.query("select floor(extract(epoch from paraph.now()) * 1000) as ms"))[0]?.ms),
      advanceClock: async (ms) => {
        await database.query("update public.moved set by = by + make_interval(secs => $1)", [ms / 1_000]);
      },
      addPrincipal: (principal) => provision(database.ownerUrl, (p) => p.addPrincipal(principal)),
      admin: {
        setGroups: async (principal, groups) => {
          await database.query("delete from paraph.group_member where tenant = $1 and principal = $2", [
            tenant,
            principal,
          ]);
          for (const group of groups)
            await database.query(
              "insert into paraph.group_member (tenant, grp, principal) values ($1, $2, $3)",
              [tenant, group, principal],
            );
        },
        invite: async (id) => {
          await database.query("select paraph.principal_add($1, $2, 'person', null)", [tenant, id]);
        },
        signIn: async (id) => {
          await database.query("select paraph.note_signed_in($1, $2)", [tenant, id]);
        },
        disable: async (id) => {
          await database.query("select paraph.principal_disable($1, $2, 'ana')", [tenant, id]);
        },
        freeze: (freeze) => freezes.freeze(tenant, freeze),
        thaw: async (id) => (await freezes.thaw(tenant, id, "ana")).wakes,
        publish: async (version) => {
          await policies.put(tenant, { version, document: {} }, "ana");
          await policies.activate(tenant, { id: `call_${++activations}`, version, by: "ana" });
        },
        grant: async (grant) => {
          await grants.create(tenant, grant, "ana");
        },
        revoke: async (id) => {
          await grants.revoke(tenant, id, "ana");
        },
        delegate: async (delegation) => {
          await delegations.create(tenant, delegation, "ana");
        },
        revokeDelegation: async (id) => {
          await delegations.revoke(tenant, id, "ana");
        },
      },
      listReceipts: async (call) => {
        const text =
          "select paraph.read_receipt(r) as r from paraph.receipt r where tenant = $1 and call = $2";
        const rows = await database.query(text, [tenant, call]);
        return rows.map(({ r }) => {
          const { digest, story, signature } = r as NewReceipt;
          return { digest, story, signature };
        });
      },
      listStatements: async (call) => {
        const envelope = await findResolution(db.app, tenant, call);
        if (envelope === undefined) return [];
        const text = "select digest from paraph.resolution where tenant = $1 and call = $2";
        const rows = await database.query(text, [tenant, call]);
        return rows.map(({ digest }) => ({ envelope: JSON.parse(envelope), digest: String(digest) }));
      },
      close: async () => {
        for (const die of others.splice(0)) await die();
      },
      sweep: async () => (await sweepDueCalls(db.sweeper)).filter((wake) => wake.tenant === tenant),
    };
  },
  { describe, it, expect },
);
