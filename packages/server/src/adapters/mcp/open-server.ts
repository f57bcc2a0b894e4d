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
import { asJson, listed } from "./definitions.ts";
import { faultOfRequest } from "./fault.ts";
import { LastLook } from "./last-look.ts";
import { Link } from "./link.ts";
import { type Offer, offerOf, type Terms } from "./offer.ts";
import { type Standing, standingsOf } from "./pins.ts";
import { Server } from "./server.ts";

export interface ServerOptions {
  readonly transport: () => Promise<Transport>;
  /** Those it was given so far. */
  readonly secrets: () => readonly string[];
  readonly terms: Terms;
  readonly timeout: Duration;
  readonly close?: () => Promise<void>;
}

/** An adapter over what a server offers: looked at when it is opened, when it says that it changed, and every minute. */
export async function openServer(options: ServerOptions, setting: AdapterContext): Promise<OpenAdapter> {
  const { name: adapter, folder } = setting;
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(adapter))
    throw new ParaphError(
      "adapter-invalid",
      `\`${adapter}\` cannot be an adapter's name: use lower case, digits and _.`,
    );
  const closing = new AbortController();
  const last = new LastLook();
  // Until it is open nobody asks anyway; and one that says without end that it changed is asked again once, not as often.
  let isAsked = true;
  const tell = () => {
    if (isAsked) return;
    isAsked = true;
    setting.announceChange();
  };
  const changed = () => {
    last.changed();
    tell();
  };
  const link = new Link({ transport: options.transport, changed });
  const server = new Server(link, last, options.secrets);
  let offer: Offer | undefined;
  let known = "";

  const look = async (patience: AbortSignal) => {
    const signal = AbortSignal.any([closing.signal, patience]);
    try {
      const all = await listed(link, signal);
      const standings = await standingsOf({ folder, adapter }, all.definitions);
      return { all, standings, is: digest([...standings.map(stateOf), asJson(all as never)] as Json) };
    } catch (error) {
      if (error instanceof ParaphError) throw error;
      if (signal.aborted) throw slow();
      throw faultOfRequest(error, "read");
    }
  };
  const lookAgain = async (patience: AbortSignal) => {
    const seen = last.begin();
    const { is, standings } = await look(patience);
    seen(approvedIn(standings));
    if (is !== known) tell();
  };
  const close = async () => {
    clearInterval(timer);
    closing.abort();
    await link.close();
    await options.close?.();
  };
  const timer = setInterval(
    () => void lookAgain(AbortSignal.timeout(lookMs)).catch(() => {}),
    refreshMs,
  ).unref();

  try {
    await link.open(setting.signal);
  } catch (error) {
    await close();
    throw error instanceof ParaphError ? error : notOpened(faultOfRequest(error, "read"));
  }
  return {
    async capabilities() {
      isAsked = false;
      const seen = last.begin();
      const { all, standings, is } = await look(AbortSignal.timeout(lookMs));
      offer = offerOf({ ...options, adapter, server }, all, standings);
      known = is;
      seen(approvedIn(standings));
      return offer.capabilities;
    },
    async health(signal) {
      await lookAgain(signal);
      return healthOf(offer);
    },
    facade: () => offer?.facade ?? { tools: [] },
    close,
  };
}

function approvedIn(standings: readonly Standing[]): ReadonlySet<string> {
  return new Set(standings.flatMap((each) => (each.kind === "approved" ? [each.pin.digest] : [])));
}

function stateOf(standing: Standing): Json {
  return standing.kind === "approved" ? [standing.pin.digest] : [standing.kind, standing.now.digest];
}

function healthOf(offer: Offer | undefined): Health {
  const { waiting = 0, misfits = [], suspicious = [], unusable = [] } = offer?.notes ?? {};
  if (waiting > 0)
    return {
      kind: "degraded",
      code: "mcp-definitions-waiting",
      message: `${waiting} of what the server offers is not what was approved, and away until somebody approves it: see \`paraph mcp pins\`.`,
    };
  if (misfits.length > 0)
    return {
      kind: "degraded",
      code: "mcp-profile-unfitting",
      message: `The profile speaks of tools or fields that the server has not, so previews may fail or mislead: see to what it says of ${sample(misfits)}.`,
    };
  if (suspicious.length > 0)
    return {
      kind: "degraded",
      code: "mcp-definitions-suspicious",
      message: `Descriptions tell a model what to do, or hide characters: read those of ${sample(suspicious)}.`,
    };
  return unusable.length === 0
    ? { kind: "well" }
    : {
        kind: "well",
        message: `${unusable.length} of what the server offers cannot be used: ${sample(unusable)}.`,
      };
}

/** A name is a stranger's text too. */
function sample(names: readonly string[]): string {
  const told = names
    .slice(0, 3)
    .map((name) => `\`${name.replaceAll(/[^A-Za-z0-9_.:/-]/g, "?").slice(0, 60)}\``);
  return `${told.join(", ")}${names.length > told.length ? ", …" : ""}`;
}

/** What it says on standard error is not kept: it may be anything. */
function notOpened(fault: unknown): unknown {
  if (!(fault instanceof CapabilityError) || fault.code !== "mcp-connection-lost") return fault;
  const message =
    "The MCP server ended or fell silent while it was being started: run its command by hand to see what it says.";
  return new CapabilityError("not-performed", "mcp-not-started", message);
}

function slow(): CapabilityError {
  return new CapabilityError(
    "not-performed",
    "mcp-slow",
    "The MCP server did not say in time what it offers.",
  );
}

const refreshMs = 60_000;
const lookMs = 10_000;
