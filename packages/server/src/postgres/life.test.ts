import { Client } from "pg";
import { expect, it } from "vitest";
import { testDatabase } from "../../../../test/database.ts";
import { beginLife } from "./index.ts";

it("[P7] an intent written before its process holds its number again is written under none: nobody takes it for dead", async () => {
  const database = await testDatabase();
  const life = await beginLife(database.url);
  const client = new Client({ connectionString: database.url, options: "-c role=paraph_app" });
  await client.connect();
  const held = async () =>
    (await client.query("select paraph.life_held($1) as it", [life.number])).rows[0].it;
  expect(await held()).toBe(life.number);
  await life.end();
  await expect.poll(held).toBeNull();
  await client.end();
});
