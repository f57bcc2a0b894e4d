import { defineCapability } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../../../../test/support/eventually.ts";
import { createTestDatabase } from "../../../../test/support/servers/database.ts";
import { connectDatabase, createPolicySetStore } from "../postgres/index.ts";
import { createCatalog } from "../services/catalog.ts";
import { createClosureTrust } from "./cedar/evaluation/closures/closure-trust.ts";
import { startPolicyRuntime } from "./policy-runtime.ts";

const database = await createTestDatabase();
const db = await connectDatabase(database.url);
afterAll(() => db.close());

const createPayCapability = (name: string) =>
  defineCapability({
    name,
    version: 1,
    summary: "Pays",
    effect: "write",
    idempotency: "natural",
    input: z.object({ cents: z.int() }),
    output: z.object({}),
    apply: async () => ({}),
  });

it("[P11] Paraph raises an alarm if closures and Cedar disagree, and retries publishing policies until the database accepts them", async () => {
  const config = { rules: [{ adapter: "bank", when: { "input.cents": { over: 5 } }, block: true as const }] };
  const catalog = createCatalog(config, new Map([["bank", [createPayCapability("bank.pay")]]]));
  const problems: string[] = [];
  const alarms: unknown[] = [];
  const trust = createClosureTrust();
  const governed = await startPolicyRuntime({
    config,
    folder: ".",
    catalog,
    strangers: () => new Set(),
    database: db,
    life: () => 1,
    allowDowngrade: false,
    problem: (code) => problems.push(code),
    alarm: (code) => alarms.push(code),
    telemetry: { measure: (name, value) => alarms.push(`${name} ${value}`) },
    trust,
  });
  afterAll(() => governed.stop());
  trust.withdraw();
  expect(alarms).toEqual([
    "paraph.policy.disagreements 0",
    "paraph.policy.disagreements 1",
    "policy-evaluators-disagree",
  ]);
  const published = async () => JSON.stringify(await createPolicySetStore(db.app).findActive("acme"));

  const right = "execute on function paraph.configure_policy_set(text, jsonb, int, text, int, boolean)";
  await database.query(`revoke ${right} from paraph_app, public`);
  catalog.replace("bank", [createPayCapability("bank.pay"), createPayCapability("bank.transfer")]);
  const reloading = governed.reload();
  await eventually(() => expect(problems).toContain("policy-not-published"));
  expect(await published()).not.toContain("bank.transfer");
  await database.query(`grant ${right} to paraph_app`);
  await reloading;
  expect(await published()).toContain("bank.transfer");
});
