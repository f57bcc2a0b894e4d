import { rawEvent } from "@paraph/core/testing";
import { inputOf } from "../../adapters/testing.ts";

export { faultIn, inputOf } from "../../adapters/testing.ts";

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
import { testSigner } from "@paraph/core/testing";
import { z } from "zod";
import { testDatabase } from "../../../../../test/database.ts";
import { loadPolicies, policyDocument } from "../../policy/cedar/index.ts";
import { beginLife, connect, PostgresStore, policySetsIn, provision } from "../../postgres/index.ts";
import { administrationOver } from "../../services/administration.ts";
import { admin } from "./index.ts";

export const tenant = "acme";

/** Administration over real rows, real policies and a catalogue with something to administer. */
export async function office(folder = "/nowhere") {
  const database = await testDatabase();
  const db = await connect(database.url);
  const life = await beginLife(database.url);
  const close = async () => {
    await life.end();
    await db.close();
  };
  await provision(database.ownerUrl, async (p) => {
    await p.tenant(tenant);
    await p.principal({ tenant, id: "ana", kind: "person", groups: [roles.admins, "eng"] });
    await p.principal({ tenant, id: "bo", kind: "person", groups: ["finance"] });
    await p.principal({ tenant, id: "bot", kind: "agent", owner: "ana" });
  });
  const catalog = new Catalog([write, erase]);
  const store = new PostgresStore(db.app, life.number);
  const sent: Wake[] = [];
  const alarms: string[] = [];
  const clock = { now: () => Date.now() } as Ports["clock"];
  const configured = policyDocument();
  const refreshed: string[] = [];
  const policy = { refresh: async (of: string) => void refreshed.push(of) } as Policy;
  const settings = { enforcement: enforceAll } as Ports["settings"];
  const sealer = await testSigner();
  const administration = administrationOver({
    database: db,
    folder,
    ports: () => ({ store, catalog, clock, policy, settings, sealer }),
    send: async (wakes) => void sent.push(...wakes),
    alarm: ({ call }) => alarms.push(call),
  });
  for (const capability of admin(administration)) catalog.add(capability);
  const contracts = catalog.everything().map(({ contract }) => contract);
  const { version } = loadPolicies(configured, contracts);
  await policySetsIn(db.app).configure({ version, document: configured as unknown as Json }, { life: 1 });
  const find = (verb: string) => catalog.find(tenant, `admin.${verb}`)!;
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
    /** What people would be shown. */
    sight: async (verb: string, input: Json, over?: Partial<ExecutionContext>) => {
      const capability = find(verb);
      return capability.preview!(inputOf(capability, input), worldOf(over));
    },
    /** As the pipeline does it: input through the schema, a look, apply, output through the schema. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read the output's fields by name.
    perform: async (verb: string, input: Json, over: Partial<ExecutionContext> = {}): Promise<any> => {
      const capability = find(verb);
      const parsed = inputOf(capability, input);
      const basis = "basis" in over ? over.basis : (await capability.preview!(parsed, worldOf(over))).basis;
      const output = capability.parseOutput(await capability.apply(parsed, worldOf({ ...over, basis })));
      if (output.kind === "invalid") throw new Error(output.faults.join("; "));
      return output.value;
    },
  };
}

/** A call of the agent's that stands somewhere, with an intent where it may be acting. */
export function openingOf(
  call: string,
  given: { state: CallState; capability?: string; input?: Json; intent?: boolean },
): NewCall {
  const now = Date.now();
  const { state, capability = "things.write", input = { path: "a" }, intent = false } = given;
  return {
    tenant,
    call,
    key: call,
    capability,
    version: 1,
    contractDigest: "c",
    requestDigest: "r",
    session: {},
    trace: undefined,
    lockKeys: [],
    requirements: [],
    createdAt: now,
    principal: { tenant, id: "bot", kind: "agent", owner: "ana" },
    state,
    nextAt: now + 600_000,
    events: [rawEvent("accepted", now)],
    payloads: [{ name: "input", salt: "s", value: input }],
    ...(intent && { intent: { attempt: 1, at: now, deadline: now + 600_000 } }),
  };
}

let calls = 0;

export function worldOf(over: Partial<ExecutionContext> = {}): ExecutionContext {
  calls += 1;
  const call = over.call ?? `call_${calls}`;
  return {
    tenant,
    call,
    key: call,
    attempt: 1,
    basis: undefined,
    approvers: [],
    principal: { tenant, id: "ana", kind: "person", groups: [roles.admins] },
    signal: new AbortController().signal,
    credential: () => Promise.reject(new Error("no credentials here")),
    progress: () => {},
    ...over,
  };
}

const thing = z.strictObject({
  path: z.string(),
  text: z.string().optional(),
  secret: z.string().optional(),
  to: z.array(z.string()).optional(),
});

const write = defineCapability({
  name: "things.write",
  version: 1,
  summary: "Write a thing",
  effect: "write",
  idempotency: "keyed",
  input: thing,
  output: z.object({}),
  sensitive: ["secret"],
  apply: async () => ({}),
});

const erase = defineCapability({
  name: "things.erase",
  version: 1,
  summary: "Erase a thing",
  effect: "destroy",
  idempotency: "keyed",
  input: thing,
  output: z.object({}),
  apply: async () => ({}),
});
