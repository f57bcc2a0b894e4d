import { accessChecks } from "./access-checks.ts";
import { addressChecks } from "./address-checks.ts";
import { apiChecks } from "./api-checks.ts";
import { backupChecks } from "./backup-checks.ts";
import { clockChecks, ntpChecks } from "./clock-checks.ts";
import { connectionChecks, timeoutChecks } from "./connection-checks.ts";
import { databaseDiskChecks, stateDiskChecks } from "./disk-checks.ts";
import { durabilityChecks } from "./durability-checks.ts";
import { encryptionChecks } from "./encryption-checks.ts";
import { hostChecks, secretFileChecks } from "./host-checks.ts";
import { maintenanceChecks } from "./maintenance-checks.ts";
import {
  applyChecks,
  type CheckDefinition,
  type Facts,
  fail,
  ok,
  type ProductionCheck,
} from "./production-check.ts";
import { type ProductionFacts, pickPart } from "./production-facts.ts";
import { replicationChecks } from "./replication-checks.ts";
import { signingKeyChecks } from "./signing-key-checks.ts";
import { nodeChecks, versionChecks } from "./version-checks.ts";
import { workChecks } from "./work-checks.ts";

/** Runs all checks on the facts, in the order in which they are printed. */
export function runProductionChecks(facts: ProductionFacts): ProductionCheck[] {
  const { connection } = facts;
  return [
    ...applyChecks({ value: facts.configuration }, configurationChecks),
    ...applyChecks({ value: facts.host }, hostChecks),
    ...applyChecks({ value: facts.secretFiles }, secretFileChecks),
    ...applyChecks({ value: { version: process.versions.node } }, nodeChecks),
    ...applyChecks({ value: connection }, reachedChecks),
    ...applyChecks(pickPart(connection, "schema"), versionChecks),
    ...applyChecks({ value: facts.signingKey }, signingKeyChecks),
    ...applyChecks(pickPart(connection, "access"), accessChecks),
    ...applyChecks(pickPart(connection, "encryption"), encryptionChecks),
    ...applyChecks(facts.addresses, addressChecks),
    ...applyChecks(pickPart(connection, "durability"), durabilityChecks),
    ...applyChecks(pickPart(connection, "archive"), backupChecks),
    ...applyChecks(pickPart(connection, "replication"), replicationChecks),
    ...applyChecks(pickPart(connection, "connections"), connectionChecks),
    ...applyChecks(pickPart(connection, "sessionLimits"), timeoutChecks),
    ...applyChecks(pickPart(connection, "maintenance"), maintenanceChecks),
    ...applyChecks({ value: facts.stateDisk }, stateDiskChecks),
    ...applyChecks(facts.databaseDisk, databaseDiskChecks),
    ...applyChecks(pickPart(connection, "clock"), clockChecks),
    ...applyChecks({ value: { isSynchronised: facts.isSynchronised } }, ntpChecks),
    ...applyChecks({ value: facts.api }, apiChecks),
    ...applyChecks(pickPart(connection, "work"), workChecks),
  ];
}

const configurationChecks: readonly CheckDefinition<Facts<unknown>>[] = [
  {
    ...{ subject: "Host", name: "configuration" },
    why: "Paraph does not start without a valid configuration.",
    judge: (configuration) =>
      "value" in configuration
        ? ok("configuration valid")
        : fail(configuration.unreadable, "correct the configuration, or name its folder with `--folder`"),
  },
];

const reachedChecks: readonly CheckDefinition<Facts<unknown>>[] = [
  {
    ...{ subject: "Versions", name: "database" },
    why: "Paraph does not start without its database.",
    judge: (connection) =>
      "value" in connection
        ? ok("database reachable")
        : fail(connection.unreadable, "set DATABASE_URL as for the service, and check the server"),
  },
];
