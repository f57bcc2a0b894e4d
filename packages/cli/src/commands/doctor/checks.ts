import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { escapeInvisible, escapeInvisibleLines } from "@paraph/core/escape-invisible";
import type { AdapterView } from "../../lib/api/api-views.ts";
import { createApiClient } from "../../lib/api/client.ts";
import {
  type CallerRole,
  findApplicableLogin,
  findLocalUrl,
  resolveConnection,
} from "../../lib/api/connection.ts";
import { listPeople } from "../../lib/api/list-people.ts";
import {
  fetchActivePolicy,
  isConfigurationUnused,
  unusedConfiguration,
} from "../../lib/api/policy-source.ts";
import { CliError } from "../../lib/cli-error.ts";
import { findParaphFolder, trustedKeysFile } from "../../lib/config/paraph-folder.ts";
import type { Context } from "../../lib/context.ts";
import { describeAdapterState } from "../../lib/render/adapter-state.ts";
import { describeUnreachablePeople, findUnapprovablePolicies } from "../../lib/render/missing-approvers.ts";
import { checkConfiguration, restartCheck } from "./configuration-check.ts";
import { checkHooks } from "./hook-checks.ts";
import { fetchServerStatus } from "./server-status.ts";

export interface DoctorCheck {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly message: string;
  /** The fix for the problem. */
  readonly advice?: string;
}

/** Runs the checks from local to remote: this process, this folder, the server, and its dependencies. */
export async function runDoctorChecks(context: Context): Promise<DoctorCheck[]> {
  const configuration = await checkConfiguration(context);
  return [
    checkNode(),
    ...configuration,
    await checkDataFolder(context),
    ...checkSigningKey(context),
    ...(await checkServer(context)),
    ...(configuration.some(({ name }) => name === restartCheck) ? [] : await checkPolicies(context)),
    ...(await checkHooks(context)),
  ];
}

function checkNode(): DoctorCheck {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const message = `${process.versions.node} on ${process.platform} ${process.arch}`;
  if (major > 22 || (major === 22 && minor >= 19)) return { name: "Node", state: "ok", message };
  return { name: "Node", state: "fail", message, advice: "install Node 22.19 or newer" };
}

async function checkDataFolder(context: Context): Promise<DoctorCheck> {
  const found = findParaphFolder(context.folder);
  if (found !== undefined) return { name: "data", state: "ok", message: found };
  const login = await findApplicableLogin(context).catch(() => undefined);
  if (context.url ?? context.environment.PARAPH_URL ?? login?.url)
    return { name: "data", state: "ok", message: "none in this folder; a remote server is configured" };
  return {
    name: "data",
    state: "warn",
    message: `no .paraph in ${context.folder} or a folder above it`,
    advice: "change to your Paraph folder, or run `paraph dev` to start Paraph here",
  };
}

function checkSigningKey(context: Context): DoctorCheck[] {
  const found = findParaphFolder(context.folder);
  if (found === undefined) return [];
  const signing = join(found, "keys/signing.pem");
  if (!existsSync(signing) || !existsSync(join(found, trustedKeysFile))) {
    return [
      {
        name: "signing key",
        state: "fail",
        message: `missing in ${found}`,
        advice: "run `paraph dev` once to create the missing files",
      },
    ];
  }
  const open = process.platform !== "win32" && (statSync(signing).mode & 0o077) !== 0;
  return [
    open
      ? {
          name: "signing key",
          state: "fail",
          message: "other users can read it",
          advice: `chmod 600 ${signing}`,
        }
      : { name: "signing key", state: "ok", message: "present, and only you can read it" },
  ];
}

async function checkServer(context: Context): Promise<DoctorCheck[]> {
  const { environment, folder } = context;
  const local = await findLocalUrl(folder, environment).catch(() => undefined);
  const url = context.url ?? environment.PARAPH_URL ?? local ?? (await findApplicableLogin(context))?.url;
  if (url === undefined)
    return [
      {
        name: "API",
        state: "fail",
        message: "no server to check: `--url` and PARAPH_URL are not set, and no login is stored",
        advice: "start one with `paraph dev`, or store the address of your team's with `paraph login`",
      },
    ];
  const found = await fetchServerStatus(url, context.signal);
  if ("reason" in found) {
    const { reason, advice } = found;
    return [{ name: "API", state: "fail", message: `no answer from ${url}: ${reason}`, advice }];
  }
  return [
    found.ready
      ? { name: "API", state: "ok", message: `ready at ${url}` }
      : {
          name: "API",
          state: "fail",
          message: `not ready at ${url}`,
          advice: "check the parts below and the server's log",
        },
    ...Object.entries(found.parts).map(([part, answers]) => toPartCheck(part, answers)),
    await checkKey(context, "agent", "agent's key"),
    await checkKey(context, "person", "person's key"),
    ...(await checkAdapters(context)),
    checkClock(found.skewMs),
  ];
}

function toPartCheck(part: string, answers: boolean): DoctorCheck {
  const name =
    { postgres: "PostgreSQL", signer: "Signer", engine: "Restate", workers: "Workers" }[part] ??
    escapeInvisible(part);
  return answers
    ? { name, state: "ok", message: "answers" }
    : {
        name,
        state: "fail",
        message: "does not answer",
        advice: "check its log in `.paraph`, or the log of the server that you configured",
      };
}

async function checkKey(context: Context, speaker: CallerRole, name: string): Promise<DoctorCheck> {
  try {
    const client = createApiClient(await resolveConnection(context, speaker), context.signal);
    const { id, kind, tenant } = await client.request<{ id: string; kind: string; tenant: string }>("/v1/me");
    return {
      name,
      state: "ok",
      message: `${escapeInvisible(id)} (${escapeInvisible(kind)}, tenant ${escapeInvisible(tenant)})`,
    };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { name, state: error.code === "no-key" ? "warn" : "fail", message: error.message };
  }
}

async function checkAdapters(context: Context): Promise<DoctorCheck[]> {
  try {
    const client = createApiClient(await resolveConnection(context, "reader"), context.signal);
    const { adapters } = await client.request<{ adapters: AdapterView[] }>("/v1/adapters");
    return adapters.map((adapter) => {
      const { name, kind, message = "", capabilities } = adapter;
      const state = describeAdapterState(adapter);
      return {
        name: escapeInvisible(name),
        state: ({ ready: "ok", starting: "warn", degraded: "warn", unavailable: "fail" } as const)[state],
        message:
          state === "ready"
            ? `${escapeInvisible(kind)}, capabilities: ${capabilities}`
            : `${state}. ${escapeInvisibleLines(message).join("\n")}`,
      };
    });
  } catch (error) {
    // Without an API key, this check cannot list the adapters. It reports nothing, because an earlier check reports the
    // missing key.
    if (error instanceof CliError) return [];
    throw error;
  }
}

const advice =
  "set an address with `paraph principals contact PERSON --mail ADDRESS`, or let them turn on push on `/notifications`";

/** Checks whether the policies with which the server started are in force, and whether people can approve. */
async function checkPolicies(context: Context): Promise<DoctorCheck[]> {
  const policy = await fetchActivePolicy(resolveConnection(context, "reader"), context.signal);
  if (!policy) return [];
  const people = await listPeople(context);
  const unapprovable = people ? findUnapprovablePolicies(policy, people) : [];
  const unreachable = people && describeUnreachablePeople(policy, people);
  return [
    ...(isConfigurationUnused(policy)
      ? [{ name: "policy", state: "warn", ...unusedConfiguration } as const]
      : []),
    ...unapprovable.map(
      ({ message, command }) =>
        ({ name: "policy", state: "warn", message, advice: `\`${command}\`` }) as const,
    ),
    ...(unreachable === undefined
      ? []
      : [{ name: "notices", state: "warn", message: unreachable, advice } as const]),
  ];
}

function checkClock(skewMs: number | undefined): DoctorCheck {
  if (skewMs === undefined)
    return { name: "clock", state: "warn", message: "the server does not report its time" };
  const message = `${Math.round(Math.abs(skewMs) / 1_000)} s ${skewMs > 0 ? "ahead of" : "behind"} the server`;
  if (Math.abs(skewMs) <= 5_000) return { name: "clock", state: "ok", message: "in sync with the server" };
  return {
    name: "clock",
    state: "warn",
    message,
    advice: "correct this machine's clock, because otherwise expiry times look wrong",
  };
}
