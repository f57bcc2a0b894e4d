import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { watchActiveTenants } from "../services/active-tenants.ts";
import { createSystemCredentials, deploymentTenant } from "./credentials.ts";

it("[TRUST 10] a tenant can use the deployment's secrets only while it is the only tenant", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-secrets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "blue"));
  await writeFile(join(folder, "blue", "TOKEN"), "blue's own\n");
  const resolveFor = async (...tenants: string[]) => {
    const { stop, sharesDeploymentSecrets } = await watchActiveTenants(
      {},
      async () => tenants,
      () => {},
    );
    stop();
    return createSystemCredentials(folder, {
      environment: { TOKEN: "the deployment's" },
      sharesDeployment: sharesDeploymentSecrets,
    }).resolve;
  };
  const alone = await resolveFor("red");
  expect(await alone("red", "TOKEN")).toBe("the deployment's");
  await expect(alone("green", "TOKEN")).rejects.toMatchObject({ code: "credential-missing" });
  const two = await resolveFor("red", "blue");
  await expect(two("red", "TOKEN")).rejects.toMatchObject({ code: "credential-missing" });
  expect(await two("blue", "TOKEN")).toBe("blue's own");
  expect(await two(deploymentTenant, "TOKEN")).toBe("the deployment's");
});

it("[TRUST 10] Paraph warns of adapters that name no tenant as soon as there are two tenants", async () => {
  const said: unknown[] = [];
  const adapters = { open: {}, red: { tenants: ["red"] } };
  const tenants = await watchActiveTenants(
    adapters,
    async () => ["red", "blue"],
    (...each) => said.push(each),
  );
  tenants.stop();
  expect(said).toEqual([["adapter-without-tenants", "open"]]);
  expect(tenants.listTenants("open")).toEqual([]);
  expect(tenants.listTenants("red")).toEqual(["red"]);
});

it("[TRUST 10] reads a variable, then a file, then the remote source, and only then the deployment's variable", async () => {
  const folder = await mkdtemp(join(tmpdir(), "paraph-secrets-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "acme"));
  await writeFile(join(folder, "acme", "file"), "from the file\n");
  const remote: Record<string, string> = { variable: "remote", file: "remote", TOKEN: "the tenant's own" };
  const environment = {
    TOKEN: "the deployment's",
    KEY: "the deployment's",
    PARAPH_SECRET__ACME__VARIABLE: "set",
  };
  const findRemote = async (tenant: string, name: string) => {
    if (name === "down") throw new Error("unavailable");
    return tenant === "acme" ? remote[name] : undefined;
  };
  const { resolve } = createSystemCredentials(folder, { environment, findRemote });
  const names = ["variable", "file", "TOKEN", "KEY"];
  expect(await Promise.all(names.map((name) => resolve("acme", name)))).toEqual([
    ...["set", "from the file", "the tenant's own", "the deployment's"],
  ]);
  await expect(resolve("acme", "down")).rejects.toThrow("unavailable");
  await expect(resolve("acme", "lost")).rejects.toMatchObject({ code: "credential-missing" });
});
