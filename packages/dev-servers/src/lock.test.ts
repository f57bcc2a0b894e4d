import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { acquireLock, recordServer, releaseLock } from "./lock.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraph-lock-"));
  file = join(folder, "server.lock");
  onTestFinished(() => rm(folder, { recursive: true }));
});

it("a lock can be acquired again after its release", () => {
  expect(acquireLock(file, folder)).toBeUndefined();
  releaseLock(file);
  expect(acquireLock(file, folder)).toBeUndefined();
});

it("returns the holder while it runs for the same folder", () => {
  // The path is part of this process's command line, so the process counts as running for that folder.
  const ours = process.execPath;
  expect(acquireLock(file, ours)).toBeUndefined();
  recordServer(file, process.pid);
  expect(acquireLock(file, ours)).toEqual({ guardian: process.pid, server: process.pid });
});

it("replaces the lock of an ended process, of an unrelated process with a reused pid, and a truncated lock", async () => {
  await writeFile(file, JSON.stringify({ guardian: 99_999_999 }));
  expect(acquireLock(file, folder)).toBeUndefined();
  await writeFile(file, JSON.stringify({ guardian: 1, server: process.ppid }));
  expect(acquireLock(file, folder)).toBeUndefined();
  await writeFile(file, '{"guard');
  expect(acquireLock(file, folder)).toBeUndefined();
});

it("does not release the lock of another process", async () => {
  await writeFile(file, JSON.stringify({ guardian: 99_999_999 }));
  releaseLock(file);
  await rm(file);
});
