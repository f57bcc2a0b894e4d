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
    return createSystemCredentials(folder, { TOKEN: "the deployment's" }, sharesDeploymentSecrets).resolve;
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
