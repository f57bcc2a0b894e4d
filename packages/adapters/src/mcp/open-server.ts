import type { Transport } from "@modelcontextprotocol/client";
import {
  type AdapterContext,
  CapabilityError,
  type Duration,
  digest,
  type Health,
  type Json,
  type OpenAdapter,
  ParaphError,
} from "@paraph/core";
import { McpConnection } from "./connection/mcp-connection.ts";
import { toRequestFault } from "./connection/request-fault.ts";
import { McpServerClient } from "./connection/server-client.ts";
import { ApprovalState } from "./definitions/approval-state.ts";
import { listDefinitions, toDefinitionJson, type UnusableDefinition } from "./definitions/definitions.ts";
import { comparePins, type PinStatus } from "./definitions/pins.ts";
import { createOffer, type ServerOffer, type ServerTerms } from "./server-offer.ts";

export interface OpenServerOptions {
  readonly transport: () => Promise<Transport>;
  /** Returns the secrets that Paraph has given to the server so far. */
  readonly secrets: () => readonly string[];
  readonly terms: ServerTerms;
  readonly timeout: Duration;
  readonly close?: () => Promise<void>;
  /** Explains how to find out why the server did not start. */
  readonly explainFailedStart?: () => Promise<string>;
}

/**
 * Opens an adapter for a server. The adapter lists the definitions when it opens, when the server announces a change,
 * and every minute.
 */
export async function openServer(
  options: OpenServerOptions,
  adapterContext: AdapterContext,
): Promise<OpenAdapter> {
  const { name: adapter, folder } = adapterContext;
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(adapter))
    throw new ParaphError(
      "adapter-invalid",
      `\`${adapter}\` is not a valid adapter name. Use lower-case letters, digits and _.`,
    );
  const closing = new AbortController();
  const last = new ApprovalState();
  // Whether the adapter has already announced a change. The initial value is true, so that the adapter announces no
  // change before it is open. After that, the adapter announces at most one change between two listings. A server with
  // endless announcements therefore causes no extra load.
  let isAsked = true;
  const tell = () => {
    if (isAsked) return;
    isAsked = true;
    adapterContext.announceChange();
  };
  const changed = () => {
    last.markChanged();
    tell();
  };
  const link = new McpConnection({ transport: options.transport, onChange: changed });
  const server = new McpServerClient(link, last, options.secrets);
  let offer: ServerOffer | undefined;
  let known = "";

  const look = async (patience: AbortSignal) => {
    const signal = AbortSignal.any([closing.signal, patience]);
    try {
      const all = await listDefinitions(link, signal);
      const standings = await comparePins({ folder, adapter }, all.definitions);
      return {
        all,
        standings,
        is: digest([...standings.map(toStateJson), toDefinitionJson(all as never)] as Json),
      };
    } catch (error) {
      if (error instanceof ParaphError) throw error;
      if (signal.aborted) throw slowFault();
      throw toRequestFault(error, "read");
    }
  };
  const lookAgain = async (patience: AbortSignal) => {
    const seen = last.beginListing();
    const { is, standings } = await look(patience);
    seen(listApprovedDigests(standings));
    if (is !== known) tell();
  };
  const close = async () => {
    clearInterval(timer);
    closing.abort();
    await link.close();
    await options.close?.();
  };
  const timer = setInterval(
    () => void lookAgain(AbortSignal.timeout(listTimeoutMs)).catch(() => {}),
    refreshIntervalMs,
  ).unref();

  try {
    await link.open(adapterContext.signal);
  } catch (error) {
    await close();
    if (error instanceof ParaphError) throw error;
    const fault = toRequestFault(error, "read");
    if (!(fault instanceof CapabilityError) || fault.code !== "mcp-connection-lost") throw fault;
    throw notStartedFault(await options.explainFailedStart?.());
  }
  return {
    async capabilities() {
      isAsked = false;
      const seen = last.beginListing();
      const { all, standings, is } = await look(AbortSignal.timeout(listTimeoutMs));
      offer = createOffer({ ...options, adapter, server }, all, standings);
      known = is;
      seen(listApprovedDigests(standings));
      return offer.capabilities;
    },
    async health(signal) {
      await lookAgain(signal);
      return toHealth(offer);
    },
    facade: () => offer?.facade ?? { tools: [] },
    close,
  };
}

function listApprovedDigests(standings: readonly PinStatus[]): ReadonlySet<string> {
  return new Set(standings.flatMap((each) => (each.kind === "approved" ? [each.pin.digest] : [])));
}

function toStateJson(status: PinStatus): Json {
  return status.kind === "approved" ? [status.pin.digest] : [status.kind, status.now.digest];
}

function toHealth(offer: ServerOffer | undefined): Health {
  const { waiting = 0, misfits = [], suspicious = [], unusable = [] } = offer?.notes ?? {};
  if (waiting > 0)
    return {
      kind: "degraded",
      code: "mcp-definitions-waiting",
      message: `Unapproved definitions: ${waiting}. They are unavailable until a person approves them. Review them with \`paraph mcp pins\`.`,
    };
  if (misfits.length > 0)
    return {
      kind: "degraded",
      code: "mcp-profile-unfitting",
      message: `The profile names tools or fields that the server does not have, so previews may fail or mislead. Correct the profile of ${formatNames(misfits)}.`,
    };
  if (suspicious.length > 0)
    return {
      kind: "degraded",
      code: "mcp-definitions-suspicious",
      message: `Some descriptions contain instructions for a model or hidden characters. Review those of ${formatNames(suspicious)}.`,
    };
  return unusable.length === 0
    ? { kind: "well" }
    : {
        kind: "well",
        message: `Paraph can't use ${unusable.length} of the server's definitions: ${formatUnusable(unusable)}.`,
      };
}

/**
 * Formats names for a message. It replaces unusual characters and shortens the names, because the server chooses them.
 */
function formatNames(names: readonly string[]): string {
  return formatFirst(names.map(quoteName));
}

function formatUnusable(definitions: readonly UnusableDefinition[]): string {
  return formatFirst(definitions.map(({ name, reason }) => `${quoteName(name)} (${reason})`));
}

function quoteName(name: string): string {
  return `\`${name.replaceAll(/[^A-Za-z0-9_.:/-]/g, "?").slice(0, 60)}\``;
}

function formatFirst(texts: readonly string[]): string {
  return `${texts.slice(0, 3).join(", ")}${texts.length > 3 ? ", …" : ""}`;
}

function notStartedFault(advice = "Check that it is available."): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "mcp-not-started",
    `The MCP server exited or stopped responding while it started. ${advice}`,
  );
}

function slowFault(): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "mcp-slow",
    "The MCP server did not list its definitions in time.",
  );
}

const refreshIntervalMs = 60_000;
const listTimeoutMs = 10_000;
