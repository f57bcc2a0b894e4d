// Starts one real PostgreSQL for the whole run, with a migrated template that every test file clones, and builds the
// console, which servers deliver.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "@paraph/dev-servers";
import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { migrateDatabase, provision } from "../packages/server/src/postgres/index.ts";
import { buildConsole } from "./support/web/built-console.ts";

export default async function setup(project: TestProject) {
  if (process.env.PARAPH_TEST_INSTALL === undefined) buildConsole();
  const folder = await mkdtemp(join(tmpdir(), "paraph-test-"));
  // Set PARAPH_TEST_POSTGRES to the superuser URL of an existing server, to test another version of PostgreSQL.
  const given = process.env.PARAPH_TEST_POSTGRES;
  const postgres = given
    ? { url: given, stop: async () => {} }
    : await startPostgres({ folder, durable: false });
  const template = postgres.url.replace(/\/postgres$/, "/paraph_template");
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query("drop database if exists paraph_template");
  await client.query("create database paraph_template");
  await client.end();
  await migrateDatabase(template);
  await provision(template, (p) => p.createLogin("paraph", "paraph"));
  project.provide("postgres", postgres.url);
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}

declare module "vitest" {
  interface ProvidedContext {
    postgres: string;
  }
}
