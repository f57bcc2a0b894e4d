import { defineCapability } from "@paraph/core";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { testDatabase } from "../../../../test/database.ts";
import { eventually } from "../../../../test/eventually.ts";
import { connect, policySetsIn } from "../postgres/index.ts";
import { catalogFrom } from "../services/catalog.ts";
import { startGovernance } from "./load-policy.ts";

const database = await testDatabase();
const db = await connect(database.url);
afterAll(() => db.close());

const pay = (name: string) =>
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

it("[P11] policies for capabilities that appeared are published again and again until the rows take them", async () => {
  const config = { rules: [{ adapter: "bank", when: { "input.cents": { over: 5 } }, block: true as const }] };
  const catalog = catalogFrom(config, new Map([["bank", [pay("bank.pay")]]]));
  const problems: string[] = [];
  const governed = await startGovernance({
    config,
    folder: ".",
    catalog,
    strangers: () => new Set(),
    database: db,
    life: () => 1,
    allowDowngrade: false,
    problem: (code) => problems.push(code),
  });
  afterAll(() => governed.stop());
  const published = async () => JSON.stringify(await policySetsIn(db.app).inForce("acme"));

  const right = "execute on function paraph.configure_policy_set(text, jsonb, int, text, int, boolean)";
  await database.query(`revoke ${right} from paraph_app, public`);
  catalog.replace("bank", [pay("bank.pay"), pay("bank.transfer")]);
  const reloading = governed.reload();
  await eventually(() => expect(problems).toContain("policy-not-published"));
  expect(await published()).not.toContain("bank.transfer");
  await database.query(`grant ${right} to paraph_app`);
  await reloading;
  expect(await published()).toContain("bank.transfer");
});
