import { describe, expect, it } from "vitest";
import { addressChecks } from "./address-checks.ts";
import { apiChecks } from "./api-checks.ts";
import { backupChecks } from "./backup-checks.ts";
import { clockChecks } from "./clock-checks.ts";
import { databaseDiskChecks, stateDiskChecks } from "./disk-checks.ts";
import { durabilityChecks } from "./durability-checks.ts";
import { encryptionChecks } from "./encryption-checks.ts";
import { formatBytes } from "./format-bytes.ts";
import { hostChecks } from "./host-checks.ts";
import { maintenanceChecks } from "./maintenance-checks.ts";
import { applyChecks, type CheckDefinition } from "./production-check.ts";
import { replicationChecks } from "./replication-checks.ts";
import { signingKeyChecks } from "./signing-key-checks.ts";
import { nodeChecks, versionChecks } from "./version-checks.ts";
import { workChecks } from "./work-checks.ts";

// These facts need a restart, hours or broken hardware. production.test.ts reads the others from a real server.
const day = 86_400_000;
const gibibyte = 1_024 ** 3;

function judge<F>(checks: readonly CheckDefinition<F>[], good: F, broken: Partial<F> | F): string[] {
  const facts = Array.isArray(good) ? broken : { ...good, ...broken };
  const passed = applyChecks({ value: good }, checks).filter(
    ({ state }) => state !== "ok" && state !== "skipped",
  );
  expect(passed).toEqual([]);
  return applyChecks({ value: facts as F }, checks)
    .filter(({ state }) => state === "warn" || state === "fail")
    .map(({ name, state, message }) => `${name} ${state}: ${message}`);
}

describe("durability and backup", () => {
  const durable = {
    ...{ fsync: true, fullPageWrites: true, dataChecksums: true, synchronousCommit: "on", damagedPages: 0 },
  };
  const archive = {
    ...{ enabled: true, failing: false, lastArchivedMs: 60_000, filesBehind: 0, receivers: [], standbys: 0 },
  };

  it.each([
    [{ dataChecksums: false }, "checksums warn: data checksums are off"],
    [{ damagedPages: 2 }, "checksums fail: PostgreSQL found 2 damaged pages in this database"],
  ])("%j", (broken, problem) => expect(judge(durabilityChecks, durable, broken)).toEqual([problem]));

  it.each([
    [{ lastArchivedMs: 3 * day }, "archive warn: the last WAL file was archived 3 d ago"],
    [{ filesBehind: 20 }, expect.stringMatching(/^archive warn: .* 20 files behind/)],
    [{ enabled: false, standbys: 1 }, expect.stringMatching(/^archive warn: a standby is connected, but/)],
  ])("%j", (broken, problem) => expect(judge(backupChecks, archive, broken)).toEqual([problem]));
});

describe("replication", () => {
  const standby = { name: "s", synchronous: true, lagBytes: 0 };
  const good = { isStandby: false, synchronousNames: "s", standbys: [standby], slots: [] };
  const slot = { name: "old", active: false, lost: false, keptBytes: 0 };

  it.each([
    [{ isStandby: true }, "primary fail: DATABASE_URL leads to a standby"],
    [{ standbys: [{ ...standby, lagBytes: 2 * gibibyte }] }, "lag warn: s is 2 GiB behind"],
    [
      { slots: [{ ...slot, keptBytes: 2 * gibibyte }] },
      expect.stringMatching(/^slots fail: .*keeps 2 GiB of log$/),
    ],
    [
      { slots: [{ ...slot, active: true, lost: true }] },
      expect.stringMatching(/^slots fail: the slot old lost/),
    ],
  ])("%j", (broken, problem) => expect(judge(replicationChecks, good, broken)).toEqual([problem]));

  it("a login that may not see the lag skips the check, and says so", () => {
    const value = { ...good, standbys: [{ ...standby, lagBytes: null }] };
    expect(applyChecks({ value }, replicationChecks).find(({ name }) => name === "lag")).toMatchObject({
      state: "skipped",
      message: "the login may not see the lag of standbys",
    });
  });
});

describe("maintenance", () => {
  const good = { autovacuum: true, excludedTables: [], unfrozenTransactions: 1_000_000, hiddenSessions: 0 };

  it.each([
    [{ unfrozenTransactions: 600_000_000 }, expect.stringMatching(/^transaction ids warn: .*600 million/)],
    [{ unfrozenTransactions: 1_600_000_000 }, expect.stringMatching(/^transaction ids fail: .*1600 million/)],
    [
      { oldestTransaction: { name: "psql", pid: 7, ageMs: 2 * 3_600_000 }, hiddenSessions: 3 },
      "long transactions warn: psql (process 7) has a transaction open for 2 h",
    ],
    [{ oldestPreparedMs: day * 3 }, "long transactions warn: a prepared transaction is open for 3 d"],
  ])("%j", (broken, problem) => expect(judge(maintenanceChecks, good, broken)).toEqual([problem]));
});

describe("work", () => {
  const good = {
    approvals: { count: 0, byAge: [] },
    ...{ due: { count: 0 }, stuck: 0, unknown: 0, locksHeld: 0, workers: 1, webhooks: { count: 0 } },
    notices: [],
  };

  it.each([
    [{ workers: 0 }, "workers fail: no worker is alive"],
    [{ due: { count: 2, oldestMs: 180_000 } }, "due warn: 2 calls due, the oldest for 3 min"],
    [{ stuck: 1 }, "stuck warn: 1 call stuck"],
    [{ unknown: 2 }, "unknown warn: 2 calls with an unknown outcome"],
    [
      { webhooks: { count: 1, oldestMs: 3_600_000 } },
      "webhooks warn: webhooks: 1 delivery fails, the oldest for 1 h",
    ],
    [
      { notices: [{ channel: "mail", kind: "request", count: 3, oldestMs: 3_600_000 }] },
      "notices warn: notices by mail: 3 notices late, the oldest for 1 h",
    ],
  ])("%j", (broken, problem) => expect(judge(workChecks, good, broken)).toEqual([problem]));
});

describe("TLS, clock, disk and versions", () => {
  it("the connection to PostgreSQL", () => {
    const good = { path: "network", protocol: "TLSv1.3", verified: true } as const;
    expect(judge(encryptionChecks, good, { path: "network", verified: false })).toEqual([
      "database warn: the connection to PostgreSQL uses TLSv1.3, but its certificate is not verified",
    ]);
    const plain = applyChecks({ value: { path: "network", verified: false } }, encryptionChecks);
    expect(plain).toMatchObject([
      { state: "fail", message: "the connection to PostgreSQL is not encrypted" },
    ]);
  });

  it("certificates that end", () => {
    const ends = (days: number) => ({ endsAt: days * day, matchesKey: true });
    const good = {
      publicUrl: "https://paraph.example.com",
      ...{ publicCertificate: ends(60), ownCertificate: ends(60), now: 0 },
    };
    expect(judge(addressChecks, good, { publicCertificate: ends(13), ownCertificate: ends(-2) })).toEqual([
      "certificate warn: the public certificate ends in 13 d",
      "own certificate fail: the own certificate ended 2 d ago",
    ]);
    expect(judge(addressChecks, good, { publicUrl: undefined })).toEqual([
      "public address warn: `identity.url` is not set",
    ]);
  });

  it("a clock offset counts only beyond the uncertainty of the measurement", () => {
    const good = { offsetMs: -4_000, uncertaintyMs: 3_000 };
    expect(judge(clockChecks, good, { uncertaintyMs: 1 })).toEqual([
      "PostgreSQL warn: this host is 4 s behind PostgreSQL",
    ]);
  });

  it("free space", () => {
    const space = (freeBytes: number) => ({ folder: "/var/lib/paraph", freeBytes });
    const many = 100 * gibibyte;
    expect(judge(stateDiskChecks, [space(many)], [space(many), space(gibibyte)])).toEqual([
      "this host warn: 1 GiB free at /var/lib/paraph",
    ]);
    const good = { databaseBytes: 3 * gibibyte, space: space(many) };
    expect(judge(databaseDiskChecks, good, { space: space(gibibyte / 8) })).toEqual([
      "database fail: 128 MiB free at /var/lib/paraph, and the database has 3 GiB",
    ]);
  });

  it("versions", () => {
    expect(judge(nodeChecks, { version: "24.11.0" }, { version: "22.18.0" })).toEqual([
      "Node fail: Node 22.18.0",
    ]);
    const good = {
      postgres: "15.2",
      postgresMajor: 15,
      generation: 3,
      serves: 1,
      needed: 3,
      invalidIndexes: [],
    };
    expect(judge(versionChecks, good, { postgres: "14.9", postgresMajor: 14 })).toEqual([
      "PostgreSQL fail: PostgreSQL 14.9",
    ]);
    const { generation, ...unmigrated } = good;
    expect(applyChecks({ value: unmigrated }, versionChecks).map(({ state }) => state)).toEqual([
      ...["ok", "fail", "skipped"],
    ]);
  });
});

describe("host and server", () => {
  it("root, and a part of the server that fails", () => {
    expect(judge(hostChecks, { isRoot: false, hasOwnerLogin: false }, { isRoot: true })).toEqual([
      "user warn: doctor runs as root",
    ]);
    const status = { ready: true, parts: { engine: true }, skewMs: 0 };
    expect(
      judge(
        apiChecks,
        { url: "u", status },
        { status: { ...status, ready: false, parts: { engine: false } } },
      ),
    ).toEqual(["API fail: not ready at u: engine failing"]);
  });

  it("a certificate of the server that is not trusted has its own advice", () => {
    const judgeReason = (reason: string) =>
      applyChecks({ value: { url: "u", status: { reason, advice: "set NODE_EXTRA_CA_CERTS" } } }, apiChecks);
    expect(judgeReason("its TLS certificate is not trusted")).toMatchObject([
      { advice: "set NODE_EXTRA_CA_CERTS" },
    ]);
    expect(judgeReason("the connection was refused")).toMatchObject([
      { advice: expect.stringContaining("start Paraph") },
    ]);
  });

  const fileKey = {
    ...{ isElsewhere: false, file: "f", keyId: "k", earlierKeyIds: [], exposed: [], ageMs: 0 },
    ...{ serverKeyId: "k", hosts: 1 },
  };

  it("a key in Vault needs no file", () => {
    const value = { ...fileKey, isElsewhere: true, file: undefined, keyId: undefined };
    expect(applyChecks({ value }, signingKeyChecks).map(({ state }) => state)).toEqual([
      "skipped",
      "skipped",
      "skipped",
    ]);
  });

  it("after a rotation, the processes need a restart; copying the server's key would undo it", () => {
    const judgeSame = (earlierKeyIds: readonly string[]) =>
      applyChecks({ value: { ...fileKey, earlierKeyIds, serverKeyId: "old" } }, signingKeyChecks)[1]?.advice;
    expect(judgeSame(["old"])).toMatch(/^restart/);
    expect(judgeSame(["older"])).toMatch(/^copy the server's key/);
  });

  it("several hosts are named, because each has its own key file", () => {
    const value = { ...fileKey, hosts: 2 };
    const same = applyChecks({ value }, signingKeyChecks).find(({ name }) => name === "same key");
    expect(same?.message).toBe("the server signs with it. Paraph runs on 2 hosts, so check each of them");
  });

  it.each([
    [0, "0 B"],
    [1_023, "1023 B"],
    [1.5 * gibibyte, "1.5 GiB"],
    [250 * 1_024 ** 2, "250 MiB"],
  ])("%d bytes are %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
