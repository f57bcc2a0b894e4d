import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { claimFolder } from "../../../server/src/start/data-folder.ts";
import { writeRecord } from "../../../server/src/start/local-record.ts";
import { startLocal } from "./start-local.ts";

const all = await mkdtemp(join(tmpdir(), "paraph-local-"));
let [folder, environment] = ["", { HOME: all }];
beforeEach(async () => {
  const own = await mkdtemp(join(all, "x-"));
  folder = join(own, ".paraph");
  environment = { HOME: own };
});
afterAll(() => rm(all, { recursive: true, force: true }));

async function put(name: string) {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), "{}");
}

describe("[TRUST 31] Paraph does not use a `.paraph` folder that the user did not create", () => {
  it.each([
    "keys/signing.pem",
    "keys/previous/old.pem",
    "state.json",
    "postgres/data/postgresql.conf",
    "restate/x",
  ])("with %s in it", async (name) => {
    await put(name);
    const before = await readdir(folder);
    await expect(startLocal(folder, environment, { progress: () => {} })).rejects.toMatchObject({
      code: "data-foreign",
      message: expect.stringContaining("--adopt"),
    });
    expect(await readdir(folder)).toEqual(before);
  });

  it("Paraph uses the folder once the user adopts it or has started Paraph there, even if that start was interrupted", async () => {
    await put("keys/signing.pem");
    await claimFolder(folder, environment, { adopt: true });
    await claimFolder(folder, environment);
    // An older version recorded the folder without a claim.
    await rm(join(environment.HOME, ".local"), { recursive: true });
    await expect(claimFolder(folder, environment)).rejects.toMatchObject({ code: "data-foreign" });
    await writeRecord(folder, environment, { url: "http://127.0.0.1:1", agent: "a", owner: "o", keys: [] });
    await claimFolder(folder, environment);
    const next = join(folder, "../next/.paraph");
    await claimFolder(next, environment);
    await writeFile(join(next, "state.json"), "{}");
    await claimFolder(next, environment);
  });

  it("Paraph uses a folder that contains only `.gitignore` and `.ignore`", async () => {
    for (const name of [".gitignore", ".ignore"]) await put(name);
    await claimFolder(folder, environment);
  });
});

it("a start after the data folder was deleted creates a new key for the owner, because the new database does not have the old one", async () => {
  // As root, PostgreSQL runs as another user, which must be able to enter the folder.
  for (const path of [all, dirname(folder)]) await chmod(path, 0o755);
  const start = async () => {
    const local = await startLocal(folder, environment, { progress: () => {} });
    await local.stop();
    return local.access;
  };
  const first = await start();
  expect(await start()).toEqual(first);
  await rm(folder, { recursive: true });
  const second = await start();
  expect(second.owner).not.toBe(first.owner);
  expect(second.agent).not.toBe(first.agent);
});

it("Paraph refuses an incomplete address of Restate before it starts a server", async () => {
  await expect(
    startLocal(
      folder,
      { ...environment, RESTATE_INGRESS_URL: "http://127.0.0.1:1", RESTATE_ADMIN_URL: "http://127.0.0.1:2" },
      { progress: () => {} },
    ),
  ).rejects.toMatchObject({
    code: "config-invalid",
    message: expect.stringContaining("RESTATE_PUBLIC_KEY is not set"),
  });
  await expect(readdir(folder)).rejects.toMatchObject({ code: "ENOENT" });
});
