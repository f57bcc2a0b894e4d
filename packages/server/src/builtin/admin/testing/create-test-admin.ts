import { createRawEvent } from "@paraph/core/testing";
import { parseTestInput } from "../../../../../adapters/src/testing.ts";

export { parseTestInput, readFault } from "../../../../../adapters/src/testing.ts";

import {
  type CallState,
  Catalog,
  defineCapability,
  type ExecutionContext,
  enforceAll,
  type Json,
  type NewCall,
  type Policy,
  type Ports,
  roles,
  type Wake,
} from "@paraph/core";
import { createTestSigner } from "@paraph/core/testing";
import { z } from "zod";
import { createTestDatabase } from "../../../../../../test/support/servers/database.ts";
import { assemblePolicyDocument, loadPolicies } from "../../../policy/cedar/index.ts";
import {
  beginProcessLease,
  connectDatabase,
  createPolicySetStore,
  PostgresStore,
  provision,
} from "../../../postgres/index.ts";
import { createAdministration } from "../../../services/administration.ts";
import { createAdminCapabilities } from "../index.ts";

export const adminTestTenant = "acme";

/** Creates an administration over real rows and real policies, with a catalog of capabilities to administer. */
export async function createTestAdmin(folder = "/nowhere") {
  const database = await createTestDatabase();
  const db = await connectDatabase(database.url);
  const lease = await beginProcessLease(database.url);
  const close = async () => {
    await lease.end();
    await db.close();
  };
  await provision(database.ownerUrl, async (p) => {
    await p.addTenant(adminTestTenant);
    await p.addPrincipal({
      tenant: adminTestTenant,
      id: "ana",
      kind: "person",
      groups: [roles.admins, "eng"],
    });
    await p.addPrincipal({ tenant: adminTestTenant, id: "bo", kind: "person", groups: ["finance"] });
    await p.addPrincipal({ tenant: adminTestTenant, id: "bot", kind: "agent", owner: "ana" });
  });
  const catalog = new Catalog([writeCapability, eraseCapability]);
  const store = new PostgresStore(db.app, lease.number);
  const sent: Wake[] = [];
  const alarms: string[] = [];
  const clock = { now: () => Date.now() } as Ports["clock"];
  const configured = assemblePolicyDocument();
  const refreshed: string[] = [];
  const policy = { refresh: async (of: string) => void refreshed.push(of) } as Policy;
  const settings = { enforcement: enforceAll } as Ports["settings"];
  const sealer = await createTestSigner();
  const administration = createAdministration({
    database: db,
    folder,
    ports: () => ({ store, catalog, clock, policy, settings, sealer }),
    send: async (wakes) => void sent.push(...wakes),
    alarm: ({ call }) => alarms.push(call),
  });
  for (const capability of createAdminCapabilities(administration)) catalog.add(capability);
  const contracts = catalog.everything().map(({ contract }) => contract);
  const { version } = loadPolicies(configured, contracts);
  await createPolicySetStore(db.app).configure(
    { version, document: configured as unknown as Json },
    { leaseNumber: 1 },
  );
  const find = (verb: string) => catalog.find(adminTestTenant, `admin.${verb}`)!;
  return {
    database,
    db,
    store,
    catalog,
    sent,
    alarms,
    refreshed,
    administration,
    version,
    close,
    capability: find,
    /** Returns the preview that approvers would see. */
    sight: async (verb: string, input: Json, over?: Partial<ExecutionContext>) => {
      const capability = find(verb);
      return capability.preview!(parseTestInput(capability, input), createAdminContext(over));
    },
    /** Performs a capability like the pipeline: it parses the input, previews, applies and parses the output. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read the output's fields by name.
    perform: async (verb: string, input: Json, context: Partial<ExecutionContext> = {}): Promise<any> => {
      const capability = find(verb);
      const parsed = parseTestInput(capability, input);
      const basis =
        "basis" in context
          ? context.basis
          : (await capability.preview!(parsed, createAdminContext(context))).basis;
      const output = capability.parseOutput(
        await capability.apply(parsed, createAdminContext({ ...context, basis })),
      );
      if (output.kind === "invalid") throw new Error(output.faults.join("; "));
      return output.value;
    },
  };
}

/** Creates a call of the agent in the given state. With `intent`, the call may be acting. */
export function createAgentCall(
  call: string,
  given: { state: CallState; capability?: string; input?: Json; intent?: boolean },
): NewCall {
  const now = Date.now();
  const { state, capability = "things.write", input = { path: "a" }, intent = false } = given;
  return {
    tenant: adminTestTenant,
    call,
    key: call,
    capability,
    version: 1,
    contractDigest: (capability === "things.erase" ? eraseCapability : writeCapability).contractDigest,
    requestDigest: "r",
    session: {},
    trace: undefined,
    lockKeys: [],
    requirements: [],
    createdAt: now,
    principal: { tenant: adminTestTenant, id: "bot", kind: "agent", owner: "ana" },
    state,
    nextAt: now + 600_000,
    events: [createRawEvent("accepted", now)],
    payloads: [{ name: "input", salt: "s", value: input }],
    ...(intent && { intent: { attempt: 1, at: now, deadline: now + 600_000 } }),
  };
}

let calls = 0;

export function createAdminContext(context: Partial<ExecutionContext> = {}): ExecutionContext {
  calls += 1;
  const call = context.call ?? `call_${calls}`;
  return {
    tenant: adminTestTenant,
    call,
    key: call,
    attempt: 1,
    basis: undefined,
    approvers: [],
    principal: { tenant: adminTestTenant, id: "ana", kind: "person", groups: [roles.admins] },
    signal: new AbortController().signal,
    credential: () => Promise.reject(new Error("no credentials here")),
    progress: () => {},
    ...context,
  };
}

const thingInput = z.strictObject({
  path: z.string(),
  text: z.string().optional(),
  secret: z.string().optional(),
  to: z.array(z.string()).optional(),
  card: z.strictObject({ number: z.string(), kind: z.string() }).optional(),
});

const writeCapability = defineCapability({
  name: "things.write",
  version: 1,
  summary: "Write a thing",
  effect: "write",
  idempotency: "keyed",
  input: thingInput,
  output: z.object({}),
  sensitive: ["secret", "card"],
  apply: async () => ({}),
});

const eraseCapability = defineCapability({
  name: "things.erase",
  version: 1,
  summary: "Erase a thing",
  effect: "destroy",
  idempotency: "keyed",
  input: thingInput,
  output: z.object({}),
  apply: async () => ({}),
});
