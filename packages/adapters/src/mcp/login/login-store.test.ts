import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { readFault } from "../../testing.ts";
import { createFolder } from "../testing/fixture.ts";
import { LoginStore, type StoredLogin } from "./login-store.ts";

const folder = await createFolder();
afterAll(() => folder[Symbol.asyncDispose]());
const store = new LoginStore({ folder: folder.path, adapter: "srv" });
const login: StoredLogin = {
  server: "s",
  issuer: "i",
  client: { id: "c" },
  accessToken: "a",
  refreshToken: "r",
};

it("a process that is killed while it holds the login lock changes nothing and blocks no other process", async () => {
  await store.withLock(async (_, keep) => keep(login));
  const program = fileURLToPath(new URL("../testing/holder.ts", import.meta.url));
  const holder = spawn(process.execPath, ["--conditions=paraph-source", program, folder.path]);
  await once(holder.stdout, "data");

  expect(await store.read()).toEqual(login);
  const order: string[] = [];
  const after = store.withLock(async (found) => {
    order.push("alone");
    return found;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  order.push("killed");
  holder.kill("SIGKILL");
  expect([await after, order]).toEqual([login, ["killed", "alone"]]);
});

it("an error while the login lock is held changes nothing; [P11] a damaged login file is unusable", async () => {
  const failing = store.withLock(async (_, keep) => {
    keep(undefined);
    throw new Error("in between");
  });
  await expect(failing).rejects.toThrow("in between");
  expect(await store.read()).toEqual(login);
  await writeFile(join(folder.path, ".paraph", "mcp-logins", "torn.sqlite"), "not a database at all");
  const torn = new LoginStore({ folder: folder.path, adapter: "torn" });
  expect(await readFault(torn.read())).toBe("permanent mcp-login-unusable");
  expect(await readFault(torn.withLock(async () => {}))).toBe("permanent mcp-login-unusable");
});
