import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterAll, inject } from "vitest";

export interface TestDatabase {
  /** The URL with the plain login that the servers use. */
  readonly url: string;
  /** The URL with the owner of the tables. */
  readonly ownerUrl: string;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

/** Creates a database for this test file, cloned from the migrated template and dropped after the file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject("postgres");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name} template paraph_template`);
  const ownerUrl = server.replace(/\/postgres$/, `/${name}`);
  const login = new URL(ownerUrl);
  login.username = "paraph";
  login.password = "paraph";
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  afterAll(async () => {
    await owner.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  return { url: login.href, ownerUrl, query: async (text, values) => (await owner.query(text, values)).rows };
}
